import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A command runs on several devices at once")
struct ManyDevicesTests {
    /// Three iPads behind one usbmuxd: one with Marvin and a book, one with an empty Marvin, and a locked one.
    private final class Three {
        let bench: ReaderBench
        let folders: [TemporaryFolder]
        let others: [SimulatedDevice]

        init(locked: Bool = true) throws {
            bench = try ReaderBench(books: [RealBooks.history("en")])
            var folders: [TemporaryFolder] = []
            var others: [SimulatedDevice] = []
            for (name, isLocked) in [("Kitchen iPad", false), ("Cellar iPad", locked)] {
                let folder = try TemporaryFolder()
                var settings = SimulatedDeviceSettings.withoutTLS
                settings.udid = randomUDID()
                settings.name = name
                settings.iosVersion = "8.1.3"
                settings.apps = [ReaderBench.app()]
                settings.isLocked = isLocked
                let device = try SimulatedDevice(folder: folder.url, settings: settings)
                bench.daemon.attach(device)
                folders.append(folder)
                others.append(device)
            }
            (self.folders, self.others) = (folders, others)
        }

        deinit {
            for device in others {
                bench.daemon.detach(device)
                device.stopApps()
            }
        }

        func row(_ document: Document, _ name: String) throws -> [String: Any] {
            try #require(document.rows("devices").first { $0["name"] as? String == name })
        }
    }

    @Test("Each device has its part of one document, and one that fails does not stop the others")
    func document() throws {
        let three = try Three()
        let books = try three.bench.json("books", "--device", "all")
        #expect(books.status == 1)
        #expect(books.rows("devices").count == 3)
        let full = try three.row(books, "Simulated iPad")
        #expect(full["exit"] as? Int == 0)
        #expect(full["udid"] as? String == three.bench.device.settings.udid)
        #expect((full["books"] as? [Any])?.count == 1)
        #expect((try three.row(books, "Kitchen iPad")["books"] as? [Any])?.count == 0)
        let locked = try three.row(books, "Cellar iPad")
        #expect(locked["exit"] as? Int == 77)
        #expect((locked["error"] as? [String: Any])?["code"] as? String == "device_locked")
    }

    @Test("Books are added to all devices, fetched from them, and deleted again")
    func roundTrip() throws {
        let three = try Three(locked: false)
        let file = try RealBooks.history("de")
        let upload = try three.bench.json("upload", file.path, "--device", "all")
        #expect(upload.status == 0, "\(upload.errors)")
        for name in ["Simulated iPad", "Kitchen iPad", "Cellar iPad"] {
            let rows = try three.row(upload, name)["results"] as? [[String: Any]]
            #expect(rows?.map { $0["status"] as? String } == ["added"])
        }
        let target = three.bench.folder.path("fetched")
        let title = "Eine kurze Geschichte von Debian"
        let get = try three.bench.json("get", title, "-o", target, "--device", "kitchen, cellar")
        #expect(get.status == 0, "\(get.errors)")
        #expect(get.rows("devices").map { $0["name"] as? String } == ["Kitchen iPad", "Cellar iPad"])
        // The same file from both devices is stored once.
        #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["\(title).epub"])
        #expect(FileManager.default.contentsEqual(atPath: target + "/\(title).epub", andPath: file.path))
        #expect(try three.bench.json("delete", title, "--yes", "--device", "all").status == 0)
        let books = try three.bench.json("books", "--device", "all")
        #expect(
            books.rows("devices").map { ($0["books"] as? [Any])?.count }.sorted { $0 ?? 0 < $1 ?? 0 } == [
                0, 0, 1,
            ])
    }

    @Test("As text each device has a heading, and what goes wrong names the device")
    func text() throws {
        let three = try Three()
        let books = try three.bench.run("books", "--device", "all")
        #expect(books.status == 1)
        #expect(books.output.contains("Simulated iPad:\nTITLE"))
        #expect(books.output.contains("Kitchen iPad:\nMarvin has no books."))
        #expect(!books.output.contains("Cellar iPad"))
        #expect(books.errors.contains("overlayhost: Cellar iPad: "))
        #expect(books.errors.contains("Kitchen iPad: Marvin\n"))
        #expect(books.errors.split(separator: "\n").count == 4)
        let verbose = try three.bench.run("books", "--device", "all", "--verbose")
        #expect(verbose.errors.contains("Kitchen iPad: Reading the library"))
    }

    @Test("An unknown device fails alone, and one output file for several devices is refused")
    func mistakes() throws {
        let three = try Three()
        let books = try three.bench.json("books", "--device", "simulated ipad,attic")
        #expect(books.status == 1)
        #expect(try three.row(books, "Simulated iPad")["exit"] as? Int == 0)
        let attic = try three.row(books, "attic")
        #expect(attic["exit"] as? Int == 69)
        #expect(attic["udid"] is NSNull)
        let cover = try three.bench.json("info", "x", "--cover", "/nonexistent/x", "--device", "all")
        #expect(cover.status == 64)
        #expect(cover.error("code") == "usage")
        #expect(try three.bench.json("books").error("hint")?.contains("--device all") == true)
    }

    @Test("Without any device the command as a whole fails")
    func none() throws {
        let bench = try ReaderBench(attached: false)
        let books = try bench.json("books", "--device", "all")
        #expect(books.status == 69)
        #expect(books.error("code") == "no_device")
    }

    @Test(
        "apps, doctor, info and eject answer for every device",
        arguments: [["apps"], ["doctor"], ["eject"]])
    func others(words: [String]) throws {
        let three = try Three(locked: false)
        let answer = try three.bench.json(words + ["--device", "all"])
        #expect(answer.status == 0, "\(answer.errors)")
        #expect(answer.rows("devices").compactMap { $0["exit"] as? Int } == [0, 0, 0])
        let member = ["apps": "apps", "doctor": "checks", "eject": "ejected"][words[0]] ?? ""
        #expect(answer.rows("devices").allSatisfy { $0[member] != nil })
    }

    @Test(
        "info, update, collections and perform answer for every device, even when one fails")
    func changing() throws {
        let three = try Three()
        let bench = three.bench
        let title = "Eine kurze Geschichte von Debian"
        let file = try RealBooks.history("de").path
        #expect(try bench.json("upload", file, "--device", "all").status == 1)
        #expect(try bench.run("prefs", "set", "development_mode", "true").status == 0)
        let commands: [(words: [String], member: String)] = [
            (["info", title], "title"), (["update", title, "--publisher", "Verlag"], "results"),
            (["collections", "--add", "Shelf", title], "results"), (["collections"], "collections"),
            (["perform", "LockBooks", title], "command"), (["devices"], "pairing"),
            (["delete", title, "--yes"], "results"),
        ]
        for (words, member) in commands {
            let answer = try bench.json(words + ["--device", "all"])
            guard words != ["devices"] else {
                #expect(answer.status == 0 && answer.rows("devices").count == 3)
                continue
            }
            #expect(answer.status == 1, "\(words)")
            #expect(answer.rows("devices").count == 3, "\(words)")
            for name in ["Simulated iPad", "Kitchen iPad"] {
                let row = try three.row(answer, name)
                #expect(row["exit"] as? Int == 0 && row[member] != nil, "\(words), \(name)")
            }
            let locked = try three.row(answer, "Cellar iPad")
            #expect(locked["exit"] as? Int == 77 && locked["error"] != nil, "\(words)")
        }
    }

    @Test(
        "On a terminal each device has one line, which is redrawn in place",
        .enabled(if: programIsInstalled("script")))
    func lines() throws {
        let three = try Three(locked: false)
        // Slow enough that a line is shown before the end.
        for device in [three.bench.device] + three.others {
            try device.update { $0.bandwidth = 40_000 }
            // The command does not end before Ctrl-C.
            device.marvin(ReaderBench.marvin)?.behaviour = try #require(
                MarvinBehaviour(named: "never-answers"))
        }
        let program = try three.bench.startAtTerminal(
            "upload '\(try RealBooks.developersReference().path)' --device all")
        // Moves up three lines to redraw them.
        #expect(program.prints("\u{1B}[3A"), "\(program.output)")
        let drawn = program.output.components(separatedBy: "\u{1B}[3A").first ?? ""
        for name in ["Simulated iPad", "Kitchen iPad", "Cellar iPad"] {
            // The app is named once, above the lines.
            #expect(drawn.components(separatedBy: "\(name): Marvin").count == 2, "\(drawn)")
            let lines = drawn.replacing("\(name): Marvin", with: "")
            #expect(lines.components(separatedBy: name).count == 2, "\(drawn)")
        }
        program.type("\u{3}")
        #expect(program.wait() == 130, "\(program.output)")
    }

    @Test("devices shows the named ones; an unknown name ends with 69, among known ones with 1")
    func devices() throws {
        let three = try Three()
        #expect(
            try three.bench.json("devices", "--device", "kitchen").texts("devices", "name") == [
                "Kitchen iPad"
            ])
        let some = try three.bench.json("devices", "--device", "cellar,attic")
        #expect(some.status == 1 && some.texts("devices", "name") == ["Cellar iPad"])
        #expect(some.errors.contains("'attic': No attached device"))
        let none = try three.bench.json("devices", "--device", "attic")
        #expect(none.status == 69 && none.error("code") == "no_device")
    }

    @Test("Ctrl-C while all of them work cancels all, with 130 and nothing staged anywhere")
    func interrupted() throws {
        let three = try Three(locked: false)
        let devices = [three.bench.device] + three.others
        let gates = devices.map { device in
            device.marvin(ReaderBench.marvin)?.behaviour =
                MarvinBehaviour(named: "never-answers") ?? MarvinBehaviour()
            let staged = Gate()
            device.onFileRequest { request in
                if request.operation == "RENAME_PATH",
                    request.secondPath?.hasSuffix("upload_books.xml") == true
                {
                    staged.open()
                }
            }
            return staged
        }
        let program = try three.bench.start(
            "upload", RealBooks.history("lt").path, "--device", "all", "--json")
        for gate in gates { #expect(gate.wait()) }
        program.interrupt()
        #expect(program.wait() == 130, "\(program.errors)")
        let answer = try JSONSerialization.jsonObject(with: Data(program.output.utf8)) as? [String: Any]
        let rows = answer?["devices"] as? [[String: Any]]
        #expect(rows?.compactMap { $0["exit"] as? Int } == [130, 130, 130])
        for device in devices {
            let folder = MarvinContainer(folder: device.containerFolder(of: ReaderBench.marvin)).staging.path
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["connected.xml"])
        }
    }

    @Test(
        "delete asks once for all devices", .enabled(if: programIsInstalled("script")),
        arguments: ["y\n", "n\n"])
    func question(answer: String) throws {
        let three = try Three(locked: false)
        let file = try RealBooks.history("de")
        #expect(try three.bench.json("upload", file.path, "--device", "kitchen,cellar").status == 0)
        let program = try three.bench.startAtTerminal(
            "delete 'Eine kurze Geschichte von Debian' --device 'kitchen,cellar'")
        #expect(program.prints("[y/N]"), "\(program.output)")
        #expect(program.output.contains("Kitchen iPad, Marvin:"))
        #expect(program.output.contains("Delete these 2 books from 2 devices?"))
        program.type(answer)
        #expect(program.wait() == (answer == "y\n" ? 0 : 1), "\(program.output)")
        #expect(program.output.components(separatedBy: "[y/N]").count == 2)
        let books = try three.bench.json("books", "--device", "kitchen,cellar")
        let count = answer == "y\n" ? 0 : 1
        #expect(books.rows("devices").map { ($0["books"] as? [Any])?.count } == [count, count])
    }
}
