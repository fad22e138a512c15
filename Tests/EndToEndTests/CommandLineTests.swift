import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("The command line works as documented")
struct CommandLineTests {
    @Test("A mistyped command or option is answered with the nearest valid one and status 64")
    func mistakes() throws {
        let bench = try ReaderBench(attached: false)
        let command = try bench.run("boosk")
        #expect(command.status == 64)
        #expect(command.errors.contains("overlayhost books"))
        let option = try bench.run("books", "--devcie", "x")
        #expect(option.status == 64)
        #expect(option.errors.contains("--device"))
        let json = try bench.json("boosk")
        #expect(json.error("code") == "usage")
        #expect(json.error("hint")?.contains("books") == true)
    }

    @Test("Help is shown on terminals that are too narrow for it", arguments: ["0", "1", "20", "28", "39"])
    func narrowHelp(columns: String) throws {
        let bench = try ReaderBench(attached: false)
        for words in [["--help"], ["help", "sync"], ["prefs", "--help"], ["prefs", "set", "-h"]] {
            let help = try bench.run(words: words, environment: ["COLUMNS": columns])
            #expect(help.status == 0 && help.output.contains("USAGE:"), "\(words) \(help.errors)")
        }
    }

    @Test("Help is text, also if a document is requested")
    func helpWithOptions() throws {
        let bench = try ReaderBench(attached: false)
        for words in [
            ["help", "books", "--json"], ["help", "books", "--app", "Kindle"],
            ["--app", "Kindle", "help", "books"],
            ["help", "books", "--version"],
        ] {
            let help = try bench.run(words: words)
            #expect(
                help.status == 0 && help.output.contains("USAGE: overlayhost books"),
                "\(words) \(help.errors)")
        }
        #expect(try bench.json("help", "boosk").error("code") == "usage")
    }

    @Test("Nothing is deleted if the user cannot be asked")
    func deletionAsks() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let path = try #require(try bench.json("books").texts("books", "path").first)
        let result = try bench.run("delete", path)
        #expect(result.status == 64)
        #expect(try bench.json("books").rows("books").count == 1)
    }

    /// Weakness 19 in docs/weaknesses.md.
    @Test("One of several devices is chosen by the beginning of its UDID or by name")
    func choosingDevices() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let other = try TemporaryFolder()
        let second = try SimulatedDevice(
            folder: other.url,
            settings: SimulatedDeviceSettings(udid: randomUDID(), name: "Kitchen iPad", usesTLS: false))
        bench.daemon.attach(second)
        let devices = try bench.json("devices").rows("devices")
        #expect(devices.count == 2)
        #expect(Set(devices.compactMap { $0["name"] as? String }) == ["Simulated iPad", "Kitchen iPad"])
        let ambiguous = try bench.json("books")
        #expect(ambiguous.status == 69)
        #expect(ambiguous.error("code") == "device_not_chosen")
        #expect(try bench.json("books", "--device", "simulated ipad").rows("books").count == 1)
        #expect(
            try bench.json("--device", String(bench.device.settings.udid.prefix(10)), "books").rows("books")
                .count == 1)
        bench.daemon.detach(second)
    }

    @Test("Preferences are set with their type, listed, and survive")
    func preferences() throws {
        let bench = try ReaderBench(attached: false)
        #expect(try bench.run("prefs", "set", "upload_batch_size", "25").status == 0)
        #expect(try bench.run("prefs", "get", "upload_batch_size").output == "25\n")
        #expect(try bench.run("prefs", "set", "development_mode", "maybe").status == 78)
        let row = try bench.json("prefs", "list").rows("prefs").first {
            $0["key"] as? String == "upload_batch_size"
        }
        #expect(row?["value"] as? Int == 25)
        #expect(row?["default"] as? Int == 100)
    }

    @Test("A damaged preferences file is reported with line and column, and left as it is")
    func damagedPreferences() throws {
        let bench = try ReaderBench(attached: false)
        let file = try bench.file("prefs.json", "{\n  \"development_mode\": tru\n}")
        let result = try bench.json("prefs", "set", "development_mode", "true", "--prefs", file)
        #expect(result.status == 78)
        #expect(result.error("code") == "prefs_damaged")
        #expect(result.error("message")?.contains("line 2") == true)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "{\n  \"development_mode\": tru\n}")
    }

    @Test("--simulated needs nothing but the program itself")
    func simulated() throws {
        let bench = try ReaderBench(attached: false)
        let kept = bench.folder.path("kept")
        let app = ["--app", "Paperback", "--simulated=\(kept)"]
        let first = try bench.json(["upload", RealBooks.history("es").path] + app)
        #expect(first.texts("results", "status") == ["added"])
        let books = try bench.json(["books"] + app).rows("books")
        #expect(
            books.contains { $0["size"] as? Int == (try? Data(contentsOf: RealBooks.history("es")))?.count })
        #expect(try bench.json("devices", "--simulated").rows("devices").count == 1)
    }

    @Test(
        "Meaningless options of a simulated device are refused as a mistake of the command line",
        arguments: [
            ["simulate", "--trust", "perhaps"], ["simulate", "--latency", "-1"],
            ["simulate", "--latency", "nan"],
            ["simulate", "--marvin", "asleep"], ["books", "--simulated="],
        ])
    func senselessSimulation(words: [String]) throws {
        let bench = try ReaderBench(attached: false)
        let result = try bench.json(words)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.error("code") == "usage")
    }

    @Test("simulate serves other programs until it is interrupted")
    func simulate() throws {
        let bench = try ReaderBench(attached: false)
        let folder = bench.folder.path("sim")
        let program = try bench.start("simulate", folder, "--ios", "17.2", "--no-tls")
        let address = try #require(program.firstLine())
        let listed = try runProgram(
            "idevice_id", ["-l"],
            environment: [
                "USBMUXD_SOCKET_ADDRESS": String(address.dropFirst("USBMUXD_SOCKET_ADDRESS=".count))
            ])
        #expect(listed.output.split(separator: "\n").count == 1)
        program.interrupt()
        #expect([0, 130].contains(program.wait()))
        #expect(!FileManager.default.fileExists(atPath: folder + "/usbmuxd.sock"))
    }

    @Test("overlays names every file, and why it is refused")
    func overlays() throws {
        let bench = try ReaderBench(attached: false)
        let plugins = bench.folder.path("plugins")
        try FileManager.default.createDirectory(
            atPath: plugins, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        try Data("no library".utf8).write(to: URL(fileURLWithPath: plugins + "/broken.so"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: plugins + "/broken.so")
        let overlays = try bench.json("overlays", "--plugins", plugins).rows("overlays")
        let broken = try #require(overlays.first { ($0["file"] as? String)?.hasSuffix("broken.so") == true })
        #expect(broken["state"] as? String == "refused")
        #expect((broken["reason"] as? String)?.isEmpty == false)
        let marvin = try #require(overlays.first { $0["id"] as? String == "marvin" })
        #expect(marvin["state"] as? String == "ready")
        #expect(marvin["formats"] as? [String] == ["epub"])
    }

    @Test("The overlay under development is listed with the app it serves")
    func developmentOverlay() throws {
        let bench = try ReaderBench(attached: false)
        let overlay = try buildProductsFolder().appendingPathComponent("libMarvinOverlay.so").path
        for (key, value) in [
            ("development_mode", "true"), ("development_overlay", overlay),
            ("development_app_id", "org.example.marvin"),
        ] {
            #expect(try bench.run("prefs", "set", key, value).status == 0)
        }
        let row = try #require(
            try bench.json("overlays").rows("overlays").first { $0["development"] as? Bool == true })
        #expect(row["state"] as? String == "ready")
        #expect(row["file"] as? String == overlay)
        #expect(row["bundle_ids"] as? [String] == ["org.example.marvin"])
    }

    @Test("A result that cannot be written ends with 74", arguments: [">/dev/full", ">&-"])
    func lostResult(redirection: String) throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let program = try buildProductsFolder().appendingPathComponent("overlayhost").path
        let result = try runProgram(
            "sh", ["-c", "exec \"$0\" books \(redirection)", program], environment: bench.environment)
        #expect(result.status == 74)
        #expect(result.errors.contains("Cannot write the result"))
    }

    @Test(
        "A command works without standard input and standard error", arguments: ["<&-", "2>&-", "<&- 2>&-"])
    func closedStreams(redirection: String) throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let program = try buildProductsFolder().appendingPathComponent("overlayhost").path
        func run(_ words: String) throws -> ProgramResult {
            try runProgram(
                "sh", ["-c", "exec \"$0\" \(words) \(redirection)", program], environment: bench.environment)
        }
        let books = try run("books --json")
        #expect(books.status == 0)
        #expect(books.output.contains("\"books\""))
        // A missing standard input reads as empty, which is not a book.
        let upload = try run("upload - --name a.epub --json")
        #expect(upload.status == 1)
        #expect(upload.output.contains("a.epub"))
    }

    @Test("A cover is saved once and never over another file")
    func covers() throws {
        let bench = try ReaderBench(books: [RealBooks.history("ja")])
        let book = try #require(try bench.json("books").texts("books", "path").first)
        let file = bench.folder.path("cover")
        #expect(try bench.json("info", book, "--cover", file).status == 0)
        let cover = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(!cover.isEmpty)
        let again = try bench.json("info", book, "--cover", file)
        #expect(again.status == 73)
        #expect(again.error("code") == "already_exists")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == cover)
    }

    @Test(
        "Each diagnostic switch shows its stream on standard error, and by default there is nothing",
        arguments: [
            ("debug_plugin", "called upload_books"), ("debug_libimobiledevice", "transport."),
            ("debug_can_handle", "called can_handle"), ("development_mode", "<uploadbooks"),
        ])
    func diagnostics(key: String, words: String) throws {
        let bench = try ReaderBench()
        let quiet = try bench.run("upload", RealBooks.history("en").path)
        #expect(quiet.status == 0)
        #expect(quiet.errors == "Marvin on Simulated iPad\n")
        #expect(try bench.run("prefs", "set", key, "true").status == 0)
        let result = try bench.run("upload", RealBooks.history("de").path)
        #expect(result.status == 0)
        #expect(!result.output.contains(words))
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    @Test(
        "The preference debug_libimobiledevice shows the calls to lockdownd, house_arrest and installation_proxy"
    )
    func deviceTrace() throws {
        let bench = try ReaderBench()
        #expect(try !bench.run("books", "--app", "Marvin").errors.contains("lockdownd"))
        #expect(try bench.run("prefs", "set", "debug_libimobiledevice", "true").status == 0)
        let errors = try bench.run("books", "--app", "Marvin").errors
        for call in [
            "usbmuxd.ListDevices", "lockdownd.StartSession", "lockdownd.StartService",
            "installation_proxy.Lookup", "house_arrest.VendContainer",
        ] {
            #expect(errors.contains(call), "\(errors)")
        }
        #expect(try bench.run("devices").errors.contains("lockdownd.GetValue"))
    }

    @Test("watch prints a JSON line for each arrival and departure, and Ctrl-C ends it with 130")
    func watch() throws {
        let bench = try ReaderBench()
        let program = try bench.start("watch", "--json")
        for event in ["attached", "detached"] {
            let line = try #require(program.line { $0.contains("\"\(event)\"") }, "\(program.errors)")
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["event"] as? String == event)
            #expect(object?["udid"] as? String == bench.device.settings.udid)
            if event == "attached" { bench.daemon.detach(bench.device) }
        }
        program.interrupt()
        #expect(program.wait() == 130)
    }
}
