import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Messages use names that the user knows")
struct MessageTests {
    @Test("A locked device is named as its owner named it, and by its UDID for programs")
    func deviceName() throws {
        let bench = try ReaderBench {
            $0.isLocked = true
            $0.name = "Anna's iPad"
        }
        let text = try bench.run("books")
        #expect(text.status == 77)
        #expect(text.errors.hasPrefix("overlayhost: 'Anna's iPad': The device is locked"), "\(text.errors)")
        #expect(!text.errors.contains(bench.device.settings.udid))
        #expect(try bench.json("books").error("subject") == bench.device.settings.udid)
    }

    @Test("What the program waits for is reported at once, on standard error")
    func waiting() throws {
        let bench = try ReaderBench()
        let marvin = try #require(bench.device.marvin(ReaderBench.marvin))
        marvin.behaviour = try #require(MarvinBehaviour(named: "offline"))
        // Marvin appears as soon as the first check has not found it, and the answer to the second check is held back
        // until the message has been read: ten seconds may be too short for a test.
        let (reads, looks, isSaid) = (Count(), Count(), Gate())
        bench.device.onFileRequest { request in
            if request.operation == "FILE_READ", reads.next() == 1 { marvin.behaviour = MarvinBehaviour() }
            if request.operation == "FILE_OPEN", request.path?.hasSuffix("/connected.xml") == true,
                looks.next() == 2
            {
                #expect(isSaid.wait())
            }
        }
        let program = try bench.start("books", "--json")
        #expect(
            program.prints { program.errors.contains("Waiting up to 10 seconds for Marvin.") },
            "\(program.errors)")
        isSaid.open()
        #expect(program.wait() == 0, "\(program.errors)")
        #expect(program.output.hasPrefix("{"))
    }

    /// The number of repetitions.
    private final class Count: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    @Test("A file in the place of the folder for fetched books is named")
    func outputFile() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let path = try #require(try bench.json("books").texts("books", "path").first)
        let file = try bench.file("occupied", "x")
        let text = try bench.run("get", path, "-o", file)
        #expect(text.status == 73)
        #expect(text.errors.contains("Cannot save books to \(file) because it is not a folder."))
        #expect(try bench.json("get", path, "-o", file).error("subject") == file)
    }

    @Test("watch reports a locked device, and its ready reader app after it was unlocked")
    func watchLocked() throws {
        let bench = try ReaderBench { $0.isLocked = true }
        let program = try bench.start("watch", "--json")
        let line = try #require(program.line { $0.contains("\"unreachable\"") }, "\(program.errors)")
        #expect(line.contains("locked"))
        try bench.device.update { $0.isLocked = false }
        #expect(program.line { $0.contains("\"online\"") } != nil, "\(program.output)")
        program.interrupt()
        #expect(program.wait() == 130)
    }

    @Test("watch switches from Books, which every device has, to a reader app that is installed")
    func watchInstalled() throws {
        let bench = try ReaderBench(marvin: false)
        let program = try bench.start("watch", "--json")
        #expect(
            program.line { $0.contains("\"online\"") && $0.contains("Books") } != nil, "\(program.errors)")
        try bench.device.update { $0.apps = [ReaderBench.app()] }
        #expect(program.line { $0.contains("Marvin") } != nil, "\(program.output)")
        program.interrupt()
        #expect(program.wait() == 130)
    }

    @Test(
        "A preferred reader app that looks like a typo is stored with a warning; any other app without"
    )
    func unknownReader() throws {
        let bench = try ReaderBench(attached: false)
        for (name, warns) in [
            ("Marvn", true), ("Marvin", false), ("org.example.paperback", false), ("Paperback", false),
        ] {
            let set = try bench.run("prefs", "set", "preferred_reader_app", name)
            #expect(set.status == 0)
            #expect(
                set.errors.contains("'preferred_reader_app': No overlay is made for an app named '\(name)'.")
                    == warns, "\(set.errors)"
            )
            #expect(try bench.run("prefs", "get", "preferred_reader_app").output == "\(name)\n")
        }
    }

    @Test("Options of an overlay under development without development_mode are reported once, in one line")
    func developmentOff() throws {
        let bench = try ReaderBench()
        _ = try bench.run("prefs", "set", "development_app_id", ReaderBench.marvin)
        for command in ["books", "apps", "doctor"] {
            let run = try bench.run(command, "--app", "Marvin")
            #expect(run.status == 0)
            #expect(
                run.errors == """
                    development_app_id is not used because development_mode is off. To change this, run 'overlayhost prefs set development_mode true'.

                    """)
        }
    }

    @Test("A new device.json has every member that can be edited")
    func deviceFile() throws {
        let bench = try ReaderBench(attached: false)
        let folder = bench.folder.path("sim")
        #expect(try bench.run("devices", "--simulated=\(folder)").status == 0)
        let file = try Data(contentsOf: URL(fileURLWithPath: folder + "/device.json"))
        let settings = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
        #expect(settings["marvin"] as? String == "normal")
        #expect((settings["faults"] as? [Any])?.isEmpty == true)
    }

    @Test("No step of an upload is shown twice")
    func steps() throws {
        let bench = try ReaderBench()
        let upload = try bench.run("upload", RealBooks.history("en").path, "--verbose")
        #expect(upload.status == 0)
        let phases = upload.errors.split(separator: "\n").compactMap { line in
            line.components(separatedBy: "  ").first
        }
        var seen: [String] = []
        for phase in phases where phase != seen.last {
            #expect(!seen.contains(phase), "\(upload.errors)")
            seen.append(phase)
        }
    }
}
