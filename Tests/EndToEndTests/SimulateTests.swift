import Foundation
import TestSupport
import Testing

@Suite("A simulated device follows its settings file while it runs")
struct SimulateTests {
    /// Waits for the output of a program; returns false after five minutes.
    private func becomesTrue(_ condition: () throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now.advanced(by: .seconds(300))
        while try !condition() {
            guard ContinuousClock.now < end else { return false }
        }
        return true
    }

    @Test("A cable pulled in device.json is pulled for every program, and a mistake in the file is reported")
    func cable() throws {
        let program = try buildProductsFolder().appendingPathComponent("overlayhost").path
        let folder = try TemporaryFolder()
        let running = try RunningProgram(
            program, ["simulate", folder.path, "--no-tls"], environment: ["OVERLAYHOST_PLUGINS": nil])
        defer {
            running.interrupt()
            #expect([0, 130].contains(running.wait()))
        }
        let address = try #require(running.firstLine()?.split(separator: "=", maxSplits: 1).last)
        let file = folder.url.appendingPathComponent("device.json")
        var settings = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let udid = try #require(settings["udid"] as? String)
        func write(_ name: String, _ value: Any) throws {
            settings[name] = value
            try JSONSerialization.data(withJSONObject: settings).write(to: file, options: .atomic)
        }
        func listed(_ option: String) throws -> Bool {
            try runProgram(
                "idevice_id", [option], environment: ["USBMUXD_SOCKET_ADDRESS": String(address)]
            ).output.contains(udid)
        }
        #expect(try listed("-l"))
        #expect(settings["attached"] as? Bool == true && settings["service_handshake"] as? String == "works")
        try write("attached", false)
        #expect(try becomesTrue { try !listed("-l") })
        try write("attached", true)
        #expect(try becomesTrue { try listed("-l") })
        try write("connection", "network")
        #expect(try becomesTrue { try listed("-n") && !listed("-l") })
        try write("connection", "string")
        #expect(becomesTrue { running.errors.contains("connection: The value cannot be 'string'") })
        #expect(try listed("-n"))
    }

    @Test("--simulated=DIR uses the device that runs in the folder already, and no other at its socket")
    func runningAlready() throws {
        let program = try buildProductsFolder().appendingPathComponent("overlayhost").path
        let folder = try TemporaryFolder()
        let environment: [String: String?] = [
            "OVERLAYHOST_PLUGINS": nil, "XDG_CONFIG_HOME": folder.path("config"),
            "XDG_DATA_HOME": folder.path("data"), "XDG_CACHE_HOME": folder.path("cache"),
        ]
        // The second device uses the socket of the first.
        let running = try RunningProgram(
            program, ["simulate", folder.path("kitchen"), folder.path("study"), "--no-tls"],
            environment: environment)
        #expect(running.firstLine() != nil)
        for name in ["kitchen", "study"] {
            let books = try runProgram(
                program, ["books", "--app", "Paperback", "--simulated=\(folder.path(name))", "--json"],
                environment: environment)
            #expect(books.status == 0, "\(books.errors)")
            #expect(books.errors.contains("Using the device already running in "))
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(books.output.utf8)) as? [String: Any])
            let settings = try #require(
                try JSONSerialization.jsonObject(
                    with: Data(contentsOf: URL(fileURLWithPath: folder.path(name) + "/device.json")))
                    as? [String: Any])
            #expect(document["device"] as? String == settings["udid"] as? String, "\(books.output)")
        }
        func listed(_ choice: String) throws -> (status: Int32, output: String, errors: String) {
            let books = try runProgram(
                program,
                [
                    "books", "--app", "Paperback", "--device", choice, "--simulated=\(folder.path("study"))",
                    "--json",
                ], environment: environment)
            return (books.status, books.output, books.errors)
        }
        let all = try listed("all")
        #expect(all.status == 0, "\(all.errors)")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [String: Any])
        let devices = try #require(document["devices"] as? [[String: Any]])
        #expect(devices.map { $0["name"] as? String } == ["study"], "\(all.output)")
        #expect(try listed("stu").status == 0)
        for choice in ["kitchen", "study,kitchen"] {
            let other = try listed(choice)
            #expect(other.status == 69, "\(other.output)")
            #expect(other.output.contains("no_device"), "\(other.output)")
        }
        running.interrupt()
        #expect([0, 130].contains(running.wait()))
        let books = try runProgram(
            program, ["books", "--app", "Paperback", "--simulated=\(folder.path("study"))"],
            environment: environment)
        #expect(books.status == 0, "\(books.errors)")
        #expect(!books.errors.contains("already running in"), "now it is started")
    }

    @Test("Several folders are several devices at one socket, each with settings of its own")
    func several() throws {
        let program = try buildProductsFolder().appendingPathComponent("overlayhost").path
        let folder = try TemporaryFolder()
        let running = try RunningProgram(
            program, ["simulate", folder.path("kitchen"), folder.path("study"), "--no-tls"],
            environment: ["OVERLAYHOST_PLUGINS": nil])
        defer {
            running.interrupt()
            #expect([0, 130].contains(running.wait()))
        }
        let address = try #require(running.firstLine()?.split(separator: "=", maxSplits: 1).last)
        func names() throws -> [String] {
            let listed = try runProgram(
                program, ["devices", "--json"], environment: ["USBMUXD_SOCKET_ADDRESS": String(address)])
            let document = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [String: Any]
            let devices = try #require(document?["devices"] as? [[String: Any]], "\(listed)")
            return devices.compactMap { $0["name"] as? String }.sorted()
        }
        #expect(try names() == ["kitchen", "study"])
        try Data(#"{"attached": false}"#.utf8).write(
            to: folder.url.appendingPathComponent("study/device.json"), options: .atomic)
        #expect(try becomesTrue { try names() == ["kitchen"] })
    }
}
