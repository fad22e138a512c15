import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A report about a device says nothing about its owner")
struct ReportTests {
    private func bench(_ change: @escaping (inout SimulatedDeviceSettings) -> Void = { _ in }) throws
        -> ReaderBench
    {
        try ReaderBench(marvin: false) {
            $0.name = "Ada's secret iPhone"
            $0.iosVersion = "18.6"
            var app = SimulatedReader.paperback()
            app.name = "Hidden Reader"
            $0.apps = [app]
            change(&$0)
        }
    }

    @Test("The report has versions, requests and statuses, and no name, title, identifier or path")
    func anonymous() throws {
        let bench = try bench()
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try source.put("private.epub", title: "My Diary")
        #expect(try bench.run("upload", source.path + "/private.epub").status == 0)
        let file = bench.folder.path("report.txt")
        let shown = try bench.run("report", "-o", file, "--yes")
        #expect(shown.status == 0, "\(shown.errors)")
        let saved = try String(contentsOfFile: file, encoding: .utf8)
        #expect(saved == shown.output)
        let json = try bench.run("report", "--json")
        for text in [saved, json.output] {
            for secret in [
                "Ada", "secret", "Hidden", "My Diary", "private", "paperback", bench.device.settings.udid,
                String(bench.device.settings.udid.prefix(8)), bench.folder.url.path, "/",
                ProcessInfo.processInfo.hostName,
            ] {
                #expect(!text.contains(secret), "\(secret)\n\(text)")
            }
            for fact in [
                "overlayhost 0.", "18.6", "documents", "libimobiledevice", "lockdownd.StartSession",
                "com.apple.mobile.house_arrest", "house_arrest.VendDocuments", "usbmuxd.ListDevices",
                "AFC.GET_FILE_INFO",
            ] {
                #expect(text.contains(fact), "\(fact)\n\(text)")
            }
        }
    }

    @Test("A failure is there with the status of the device")
    func failure() throws {
        let bench = try bench { ($0.isLocked, $0.wasUnlockedSinceStart) = (true, false) }
        let report = try bench.json("report")
        #expect(report.status == 0)
        #expect(report.rows("checks").contains { $0["code"] as? String == "device_locked" })
        #expect(
            report.rows("requests").contains {
                $0["status"] as? String != "ok" && ($0["native"] as? String)?.hasPrefix("lockdownd") == true
            })
    }

    @Test("On a narrow terminal every subject of the saved report is shown whole")
    func narrow() throws {
        let bench = try bench()
        let shown = try bench.run(words: ["report"], environment: ["COLUMNS": "60"])
        #expect(shown.status == 0 && !shown.output.contains("…"), "\(shown.output)")
        #expect(shown.output.split(separator: "\n").allSatisfy { $0.count <= 60 })
        // A broken word continues in the same column of the next lines.
        let lines = shown.output.split(separator: "\n").map { String($0) }
        let heads = try #require(lines.first { $0.contains("SUBJECT") })
        let start = heads.distance(
            from: heads.startIndex, to: try #require(heads.range(of: "SUBJECT")).lowerBound)
        let end = heads.distance(
            from: heads.startIndex, to: try #require(heads.range(of: "STATUS")).lowerBound)
        let column = lines.map { $0.dropFirst(start).prefix(end - start).filter { $0 != " " } }.joined()
        #expect(column.contains("com.apple.mobile.house_arrest"), "\(shown.output)")
    }

    @Test("Without a terminal no report is saved without consent")
    func unasked() throws {
        let bench = try bench()
        let file = bench.folder.path("report.txt")
        #expect(try bench.run("report", "-o", file).status == 64)
        #expect(!FileManager.default.fileExists(atPath: file))
        let program = try bench.startAtTerminal("report -o '\(file)'")
        #expect(program.prints("[y/N]"), "\(program.output)")
        #expect(program.output.contains("lockdownd.StartSession"))
        program.type("n\n")
        #expect(program.wait() == 1)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    // MARK: doctor

    @Test(
        "Doctor names what is in the way today: Wi-Fi, a passcode not entered since the start, and containers"
    )
    func obstacles() throws {
        func check(_ bench: ReaderBench, _ name: String) throws -> [String: Any]? {
            try bench.json("doctor").rows("checks").first { $0["check"] as? String == name }
        }
        let absent = try ReaderBench(attached: false)
        let hint = try check(absent, "device")?["hint"] as? String
        #expect(hint?.contains("usbmuxd2 and netmuxd") == true)
        let locked = try bench { ($0.isLocked, $0.wasUnlockedSinceStart) = (true, false) }
        #expect(
            (try check(locked, "passcode")?["message"] as? String)?.contains(
                "not been unlocked since it was turned on") == true)
        let store = try check(bench(), "file-sharing")?["message"] as? String
        #expect(store?.contains("Only a copy of the app that is signed for development opens it.") == true)
        let own = try bench { $0.apps = [SimulatedReader.paperback(developmentSigned: true)] }
        let access = try check(own, "file-sharing")?["message"] as? String
        #expect(access?.contains("container") == true && access?.contains("Only a copy") == false)
    }
}
