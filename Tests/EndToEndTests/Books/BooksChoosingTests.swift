import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Books is found on every device, and hides no other app")
struct BooksChoosingTests {
    @Test("Books is served although iOS does not list it", arguments: BooksBench.versions)
    func unlisted(ios: String) throws {
        let bench = try BooksBench(ios: ios, listed: false)
        #expect(try bench.json("books").rows("books").count == 5)
    }

    @Test("The command apps shows the granted access, and why it is not more", arguments: [true, false])
    func apps(listed: Bool) throws {
        let bench = try BooksBench(listed: listed)
        let apps = try bench.bench.json("apps")
        let row = try #require(apps.rows("apps").first { $0["bundle_id"] as? String == "com.apple.iBooks" })
        #expect(row["overlay"] as? String == "ibooks")
        // All output uses one name, even if iOS has the old one.
        #expect(row["name"] as? String == "Books")
        #expect(row["access"] as? [String] == ["media"])
        let refused = row["refused"] as? [[String: Any]] ?? []
        #expect(refused.compactMap { $0["root"] as? String }.sorted() == ["container", "documents"])
        for refusal in refused {
            #expect((refusal["reason"] as? String)?.contains("not installed") == false, "\(refusal)")
        }
    }

    @Test(
        "doctor finds Books by the media folder, whether or not iOS lists the app",
        arguments: [true, false])
    func doctor(listed: Bool) throws {
        for ios in BooksBench.versions {
            let doctor = try BooksBench(ios: ios, listed: listed).bench.json("doctor", "--app", "Books")
            #expect(doctor.status == 0, "\(doctor.rows("checks"))")
            let check = try #require(
                doctor.rows("checks").first { $0["check"] as? String == "file-sharing" })
            let message = try #require(check["message"] as? String)
            #expect(message.contains("media"), "\(message)")
            #expect(!message.contains("documents"), "\(message)")
        }
    }

    @Test("If another reader app is installed, that one is used")
    func notInTheWay() throws {
        let bench = try BooksBench { settings in
            settings.apps.append(ReaderBench.app(developmentSigned: true))
        }
        let list = try bench.bench.json("books")
        #expect(list["app"] as? String == "Marvin", "\(list.errors)")
    }

    @Test(
        "The app is known by its current and its old name",
        arguments: ["Books", "iBooks", "books"])
    func names(name: String) throws {
        let bench = try BooksBench()
        #expect(try bench.bench.json("books", "--app", name).rows("books").count == 5)
        let shown = try bench.bench.json("overlays", name)
        #expect(shown["id"] as? String == "ibooks", "\(shown.errors)")
        let chosen = try bench.bench.run("prefs", "set", "preferred_reader_app", name)
        #expect(chosen.status == 0, "\(chosen.errors)")
        #expect(try bench.bench.json("books").rows("books").count == 5)
    }

    @Test("The overlay has no unknown options, and its help names its limits")
    func help() throws {
        let bench = try BooksBench(populated: false)
        let rows = try bench.bench.json("overlays").rows("overlays")
        let row = try #require(
            rows.first { $0["name"] as? String == "Books" && $0["app"] as? String == "Books" })
        #expect(row["state"] as? String == "ready", "\(row)")
        let wrong = try bench.bench.run("prefs", "set", "ibooks_write", "perhaps")
        #expect(wrong.status != 0)
    }
}
