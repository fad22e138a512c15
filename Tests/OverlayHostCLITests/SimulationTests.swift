import Foundation
import JSON
import SimulatedDevice
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("Meaningless settings of a simulated device are refused")
struct SimulationTests {
    @Test(
        "A wrong option ends with 64 and makes no folder",
        arguments: [
            ["--ios", "abc"], ["--ios", "9"], ["--ios", "9."], ["--ios", "9.3.5.1"], ["--ios", "9.٣"],
            ["--trust", "some"], ["--marvin", "lazy"], ["--latency=-1"],
        ])
    func options(wrong: [String]) throws {
        let bench = try ProgramBench()
        let folder = bench.folder.path("device")
        let run = bench.run(["simulate", folder, "--json"] + wrong)
        #expect(run.status == 64)
        #expect(try run.error("code") == "usage")
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("A second start in a folder whose device runs is refused, and leaves that device alone")
    func secondStart() throws {
        let bench = try ProgramBench()
        let folder = URL(fileURLWithPath: bench.folder.path("device"))
        let first = try Simulation(folder: folder, profile: .marvin, books: [])
        defer { first.stop() }
        let staging = folder.appendingPathComponent(
            "Containers/\(SimulationProfile.marvinID)/Library/calibre")
        let before = try FileManager.default.contentsOfDirectory(atPath: staging.path)
        #expect(before.contains("connected.xml"))
        let run = bench.run(["simulate", folder.path, "--json"])
        #expect(run.status == 73)
        #expect(try run.error("message")?.contains("is already running in this folder") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: staging.path) == before)
    }

    @Test(
        "A wrong device.json is named with the line or the member, and left as it is",
        arguments: [
            ("{\n  \"name\": tru\n}", "line 2, column 11"),
            (#"{"apps": [{"name": "x"}]}"#, "apps[0].bundle_id: The setting is required."),
            (#"{"apps": [{"bundle_id": "../x", "name": "x"}]}"#, "bundle_id: The value cannot be '../x'"),
            (#"{"locked": "yes"}"#, "locked: The value must be true or false."),
            (#"{"request_latency": -1}"#, "request_latency: The value cannot be '-1.0'"),
            (#"{"free_bytes": "many"}"#, "free_bytes: The value must be a whole number."),
            (#"{"ios": "nine"}"#, "ios: The value cannot be 'nine'"),
            (#"{"trust": "yes"}"#, "it must be one of trusted, neverPaired, pairingPending, denied."),
            (#"{"marvin": "lazy"}"#, "marvin: The value cannot be 'lazy'"),
            (#"{"bandwidth": 1.5}"#, "not whole"),
            (#"{"apps": 3}"#, "apps: The value must be a list."),
            ("[]", "The device file must be an object"),
            ("", "line 1, column 1"),
        ])
    func file(content: String, message: String) throws {
        let bench = try ProgramBench()
        let file = bench.folder.url.appendingPathComponent("device.json")
        try Data(content.utf8).write(to: file)
        let run = bench.run(["simulate", bench.folder.url.path, "--json"])
        #expect(run.status == 78)
        #expect(try run.error("message")?.contains(message) == true, "\(run.output)")
        #expect(try run.error("subject") == file.path)
        #expect(try Data(contentsOf: file) == Data(content.utf8))
    }

    @Test("A missing book, or an empty list of books, is reported, and leaves no device behind")
    func missingBook() throws {
        let bench = try ProgramBench()
        let folder = bench.folder.path("device")
        let wrong = try bench.file("leaflet.epub", Data("%PDF-1.4".utf8))
        let gone = bench.folder.path("gone.epub")
        for (book, message) in [(gone, "no such file"), (wrong, "not a valid epub")] {
            let run = bench.run(["simulate", folder, "--book", book, "--json"])
            #expect(run.status == 66, "\(run.output)")
            #expect(try run.error("code") == "input_unreadable")
            #expect(try run.error("message")?.lowercased().contains(message) == true, "\(run.output)")
            let subject = try #require(try run.error("subject"))
            #expect(book.hasSuffix(subject))
            #expect(!FileManager.default.fileExists(atPath: folder + "/device.json"))
        }
    }

    @Test("Books for an existing device are refused instead of being ignored")
    func bookForOldDevice() throws {
        let bench = try ProgramBench()
        let book = try bench.file("a.epub", Data("any".utf8))
        _ = try bench.file("device.json", Data("{}".utf8))
        let run = bench.run(["simulate", bench.folder.url.path, "--book", book, "--json"])
        #expect(run.status == 64)
        #expect(try run.error("message")?.contains("already has one") == true, "\(run.output)")
        #expect(try run.error("hint")?.contains("overlayhost upload") == true)
    }

    @Test(
        "A new device has the sample library, also if simulate is given its folder, unless books are named",
        arguments: [
            (SimulationProfile.iphone, SimulatedReader.paperbackID),
            (SimulationProfile.marvin, SimulationProfile.marvinID),
        ])
    func library(profile: SimulationProfile, app: String) throws {
        let bench = try ProgramBench()
        let books = SimulationProfile.sampleLibrary()
        try #require(books.count > 1)
        func count(_ folder: String, _ options: [String] = []) throws -> Int {
            let home = bench.folder.path(folder)
            let run = bench.run(["simulate", home, "--json"] + options, isCancelled: true)
            #expect(run.status == 0, "\(run.output)")
            let documents = home + "/Containers/\(app)/Documents"
            return try FileManager.default.contentsOfDirectory(atPath: documents).count {
                $0.hasSuffix(".epub")
            }
        }
        let isDefault = profile == .iphone
        let options = isDefault ? [] : ["--profile", profile.rawValue]
        #expect(try count("new", options) == books.count)
        // An existing device stays unchanged.
        #expect(try count("new") == books.count)
        #expect(try count("chosen", options + ["--book", books[0].path]) == 1)
    }

    @Test(
        "By default a simulated device is a current iPhone with Books, Kindle and a reader with file sharing"
    )
    func currentPhone() throws {
        let bench = try ProgramBench()
        let simulation = try Simulation(folder: bench.folder.url)
        defer { simulation.stop() }
        let settings = simulation.device.settings
        let major = try #require(settings.iosVersion.split(separator: ".").first.flatMap { Int($0) })
        #expect(major >= 18)
        #expect(settings.productType.hasPrefix("iPhone"))
        #expect(
            settings.apps.map(\.bundleID) == [
                SimulatedBooks.bundleID, SimulatedReader.paperbackID, SimulatedReader.kindleID,
            ])
        #expect(try SimulatedBooks(simulation.device).titles(.synchronised)?.count == 2)
    }

    @Test("A profile is for a new simulated device only")
    func profileOfOldDevice() throws {
        let bench = try ProgramBench()
        _ = try bench.file("device.json", Data("{}".utf8))
        let folder = bench.folder.url.path
        for words in [
            ["simulate", folder, "--profile", "marvin"],
            ["books", "--simulated=\(folder)", "--profile", "iphone"],
        ] {
            let run = bench.run(words + ["--json"])
            #expect(run.status == 64)
            #expect(try run.error("message")?.contains("--profile works only with a new device") == true)
        }
        let without = bench.run(["devices", "--profile", "marvin", "--json"])
        #expect(without.status == 64)
        #expect(try without.error("message")?.contains("--simulated is missing") == true)
    }

    @Test("An unknown member is named with the one that was probably meant")
    func unknownMembers() throws {
        func sentences(_ text: String) throws -> [String] {
            UnknownSettings.sentences(try JSONValue(parsing: [UInt8](text.utf8)))
        }
        var settings = SimulatedDeviceSettings()
        settings.apps = [SimulatedApp(bundleID: "a", name: "A", version: "1")]
        let bench = try ProgramBench()
        let file = bench.folder.url.appendingPathComponent("all.json")
        try SimulatedDeviceFile(settings).write(to: file)
        #expect(try sentences(String(contentsOf: file, encoding: .utf8)) == [])
        #expect(
            try sentences(
                #"{"bandwith": 1, "serviceTls": true, "apps": [{"colour": 1, "bundle_id": "a"}, 3], "faults": [{"effects": "stall"}], "marvin": "x"}"#
            ) == [
                "Simulated devices have no setting 'bandwith'; ignoring it. Did you mean 'bandwidth'?",
                "Simulated devices have no setting 'apps[0].colour'; ignoring it.",
                "Simulated devices have no setting 'faults[0].effects'; ignoring it. Did you mean 'faults[0].effect'?",
            ])
        #expect(try sentences("[]") == [])
    }

    @Test("Unknown members are reported when the device starts, and when the file is edited")
    func toldMembers() throws {
        let bench = try ProgramBench()
        let file = bench.folder.url.appendingPathComponent("device.json")
        try Data(#"{"lokced": true}"#.utf8).write(to: file)
        let simulation = try Simulation(folder: bench.folder.url, books: [])
        defer { simulation.stop() }
        #expect(simulation.notes.count == 1)
        #expect(
            simulation.notes.first?.hasPrefix("device.json: Simulated devices have no setting 'lokced'")
                == true)
        try Data(#"{"nmae": "x", "name": "Kitchen"}"#.utf8).write(to: file)
        #expect(simulation.reload().count == 1)
        #expect(simulation.device.settings.name == "Kitchen")
    }

    @Test("A folder that cannot be made is named in the system's words")
    func folder() throws {
        let bench = try ProgramBench()
        try Data().write(to: bench.folder.url.appendingPathComponent("file"))
        for folder in ["file", "file/device"] {
            let run = bench.run(["simulate", bench.folder.path(folder), "--json"])
            #expect(run.status == 73)
            #expect(try run.error("message")?.hasSuffix("simulated device: Not a directory.") == true)
        }
    }

    @Test("One name cannot be given to several devices")
    func oneName() throws {
        let bench = try ProgramBench()
        let folders = [bench.folder.path("a"), bench.folder.path("b")]
        let run = bench.run(["simulate"] + folders + ["--name", "Kitchen", "--json"])
        #expect(run.status == 64)
        #expect(try run.error("hint")?.contains("after their folders") == true)
        #expect(!FileManager.default.fileExists(atPath: folders[0]))
    }

    @Test("A folder given twice is refused, and no device keeps running")
    func twice() throws {
        let bench = try ProgramBench()
        let folder = bench.folder.path("a")
        let run = bench.run(["simulate", folder, folder, "--json"])
        #expect(run.status == 73)
        #expect(try run.error("message") == "A simulated device is already running in this folder.")
        let again = try Simulation(folder: URL(fileURLWithPath: folder), books: [])
        again.stop()
    }
}
