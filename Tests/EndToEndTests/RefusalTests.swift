import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Obstacles are named, each with its own exit status")
struct RefusalTests {
    /// A situation, the exit status that it must give, and the doctor's failing check.
    struct Obstacle: CustomTestStringConvertible, Sendable {
        let name: String
        let status: Int32
        let check: String
        let make: @Sendable () throws -> ReaderBench
        var testDescription: String { name }
    }

    static let obstacles: [Obstacle] = [
        Obstacle(name: "no device is attached", status: 69, check: "device") {
            try ReaderBench(attached: false)
        },
        Obstacle(name: "the device never trusted this computer", status: 77, check: "trust") {
            try ReaderBench { $0.trust = .denied }
        },
        Obstacle(name: "the trust question is unanswered", status: 77, check: "trust") {
            try ReaderBench { $0.trust = .pairingPending }
        },
        Obstacle(name: "the device is locked", status: 77, check: "passcode") {
            try ReaderBench { $0.isLocked = true }
        },
        Obstacle(name: "Marvin is not installed", status: 69, check: "app") {
            try ReaderBench(marvin: false)
        },
        Obstacle(
            name: "iOS 9 refuses both places of an app without file sharing", status: 77,
            check: "file-sharing"
        ) {
            try ReaderBench {
                $0.iosVersion = "9.3.5"
                $0.apps[0].fileSharing = false
            }
        },
        Obstacle(name: "Marvin is offline", status: 69, check: "reader") {
            let bench = try ReaderBench()
            bench.device.marvin(ReaderBench.marvin)?.behaviour = try #require(
                MarvinBehaviour(named: "offline"))
            return bench
        },
        Obstacle(name: "Marvin is not in connection mode", status: 69, check: "reader") {
            let bench = try ReaderBench()
            bench.device.marvin(ReaderBench.marvin)?.behaviour = try #require(
                MarvinBehaviour(named: "not-in-connection-mode"))
            return bench
        },
    ]

    @Test("books fails with the status of the cause, and says what to do", arguments: obstacles)
    func books(obstacle: Obstacle) throws {
        let bench = try obstacle.make()
        let result = try bench.json("books", "--app", "Marvin")
        #expect(result.status == obstacle.status, "\(result.error("message") ?? "no message")")
        #expect(result.error("message")?.isEmpty == false)
        #expect(result.error("hint")?.isEmpty == false)
    }

    @Test("doctor finds the first broken link of the chain", arguments: obstacles)
    func doctor(obstacle: Obstacle) throws {
        let bench = try obstacle.make()
        let result = try bench.json("doctor", "--app", "Marvin")
        #expect(result["ok"] as? Bool == false)
        #expect(result.status == obstacle.status)
        let failing = result.rows("checks").first { $0["ok"] as? Bool == false }
        #expect(failing?["check"] as? String == obstacle.check)
        #expect((failing?["hint"] as? String)?.isEmpty == false)
    }

    @Test(
        "Only doctor asks the device to trust this computer, and it reports the state of the dialog",
        arguments: [
            (DeviceTrust.neverPaired, "", true), (.pairingPending, "pairing_pending", false),
            (.denied, "pairing_denied", false),
        ])
    func trust(_ trust: DeviceTrust, _ code: String, _ isOK: Bool) throws {
        let bench = try ReaderBench { $0.trust = trust }
        #expect(try bench.json("devices").texts("devices", "pairing") == ["not-paired"])
        #expect(try bench.json("books", "--app", "Marvin").error("code") == "not_paired")
        #expect(bench.device.counters.requests["lockdown.Pair"] == nil)
        let doctor = try bench.json("doctor", "--app", "Marvin")
        #expect(doctor["ok"] as? Bool == isOK)
        #expect(isOK || doctor.rows("checks").last?["code"] as? String == code)
        #expect(try bench.json("devices").texts("devices", "pairing") == [isOK ? "paired" : "not-paired"])
    }

    @Test("A file that the device will not give is reported with the device's own words and code")
    func unreadable() throws {
        let bench = try ReaderBench {
            $0.faults = FaultPlan([
                .status(4, at: .exactly("/Library/calibre/connected.xml"), operation: "FILE_OPEN")
            ])
        }
        let result = try bench.run("books", "--app", "Marvin")
        #expect(result.status == 74)
        #expect(result.errors.contains("connected.xml"))
        #expect(result.errors.contains("AFC 4"), "\(result.errors)")
        #expect(!result.errors.contains("Cannot read the file."))
    }

    @Test("Without usbmuxd the program says so, and does not wait for one", arguments: ["devices", "watch"])
    func noUsbmuxd(command: String) throws {
        let bench = try ReaderBench()
        bench.daemon.stop()
        let result = try bench.run(command, limit: 30)
        #expect(result.status == 69)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("usbmuxd is not responding"), "\(result.errors)")
    }

    @Test("When everything works the doctor says so")
    func healthy() throws {
        let bench = try ReaderBench()
        let result = try bench.json("doctor")
        #expect(result.status == 0)
        #expect(result["ok"] as? Bool == true)
        #expect(result.rows("checks").count >= 7)
        #expect(result.rows("missing").isEmpty)
        #expect(try bench.run("doctor").output.hasPrefix("Everything works.\n"))
    }

    @Test(
        "Where iOS closes the library the doctor begins with what is not possible, and says why",
        arguments: ["9.3", "17.0"])
    func restricted(ios: String) throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")]) { $0.iosVersion = ios }
        let text = try bench.run("doctor", "--app", "Marvin")
        #expect(text.status == 0)
        let lines = text.output.components(separatedBy: "\n")
        #expect(
            lines.first == "Marvin works, except for delete, update and collections.")
        #expect(lines.contains("Not possible:") && lines.contains("  Marvin: delete"))
        #expect(text.output.contains("a file removed there would stay in Marvin's library"))
        let json = try bench.json("doctor", "--app", "Marvin")
        #expect(json["ok"] as? Bool == true)
        #expect(json.texts("missing", "ability") == ["delete", "update", "collections"])
    }

    @Test("apps shows what iOS grants, and why not more")
    func apps() throws {
        let bench = try ReaderBench { $0.iosVersion = "9.3.5" }
        let app = try #require(try bench.json("apps").rows("apps").first)
        #expect(app["bundle_id"] as? String == ReaderBench.marvin)
        #expect(app["access"] as? [String] == ["documents", "media"])
        let refused = try #require((app["refused"] as? [[String: Any]])?.first)
        #expect(refused["root"] as? String == "container")
        #expect((refused["hint"] as? String)?.contains("8.3") == true)
    }

    @Test("The message for a Marvin whose container and documents stay closed says what it needs")
    func closedContainer() throws {
        let bench = try ReaderBench {
            $0.iosVersion = "9.3.5"
            $0.apps[0].fileSharing = false
        }
        let hint = try #require(try bench.json("books", "--app", "Marvin").error("hint"))
        #expect(hint.contains("signed for development"))
    }

    @Test("A development-signed copy is served on every iOS")
    func developmentSigned() throws {
        let bench = try ReaderBench(books: [RealBooks.history("pt")]) {
            $0.iosVersion = "17.2"
            $0.apps = [ReaderBench.app(developmentSigned: true)]
        }
        #expect(try bench.json("books").rows("books").count == 1)
    }
}
