import BibTeX
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A simulated BibDesk shows libraries and papers as the app does")
struct SimulatedBibDeskTests {
    private func app(
        _ folder: TemporaryFolder, _ generation: BibDeskGeneration = .linkedFiles,
        clockAhead: Int = 0
    ) throws -> SimulatedBibDesk {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.apps = [SimulatedBibDesk.app(generation: generation)]
        let device = try SimulatedDevice(folder: folder.url, settings: settings)
        return SimulatedBibDesk(device: device, generation: generation, clockAhead: clockAhead)
    }

    @Test(
        "Each generation has the sample library and its papers in its own folders",
        arguments: [
            (BibDeskGeneration.documents, "Documents/References.bib", "Economy.pdf"),
            (.flat, "Library/Application Support/Dropbox/References.bib", "Economy.pdf"),
            (
                .linkedFiles, "Library/Application Support/Dropbox/BibFiles/References.bib",
                "Papers/Economy.pdf"
            ),
        ])
    func generations(generation: BibDeskGeneration, library: String, paper: String) throws {
        let folder = try TemporaryFolder()
        let app = try app(folder, generation)
        let shelf = try app.launch()
        #expect(shelf.libraries == ["References.bib"])
        #expect(shelf.refused.isEmpty)
        #expect(shelf.papers.contains(paper))
        let file = app.container.folder.appendingPathComponent(library)
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(BibTeXDocument(try app.bytes(of: "References.bib")).entryIndexes.count == 4)
    }

    @Test("One malformed entry hides a whole library, and another library stays")
    func malformed() throws {
        let folder = try TemporaryFolder()
        let app = try app(folder)
        try app.edit("References.bib") { $0 + Array("\n@misc{k}\n".utf8) }
        try app.add(Array("@misc{a, title = {A}}\n".utf8), named: "Other.bib")
        try app.add(
            Array("@misc{a, title = {\u{FC}}}\n".unicodeScalars.map { UInt8($0.value) }), named: "Old.bib")
        let shelf = try app.launch()
        #expect(shelf.libraries == ["Other.bib"])
        #expect(shelf.refused["References.bib"]?.hasPrefix("line ") == true)
        #expect(shelf.refused["Old.bib"] != nil)
    }

    @Test("Its own sync deletes what it does not know, and reads no settings of a Mac's autosave")
    func unknownFiles() throws {
        let folder = try TemporaryFolder()
        let app = try app(folder)
        try app.add(Array("@misc{a,}".utf8), named: "Added.bib")
        try app.add(Array("@misc{a,}".utf8), named: "Added (Autosaved).bib")
        #expect(try app.launch().libraries == ["Added.bib", "References.bib"])
        let removed = try app.removeUnknown(libraries: ["References.bib"], papers: ["Papers/Economy.pdf"])
        #expect(removed == ["Added.bib", "Papers/Engines/Appendix.pdf", "Papers/Engines/Notes.pdf"])
        #expect(try app.launch().papers == ["Papers/Economy.pdf"])
    }

    @Test("An edit can keep length and time of the file, and a Mac's clock can be ahead")
    func times() throws {
        let folder = try TemporaryFolder()
        let app = try app(folder, clockAhead: 7_200)
        try app.add(Array("@misc{a, note = {old}}".utf8), named: "New.bib")
        let path = app.container.libraries.appendingPathComponent("New.bib").path
        func modified() throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        let before = try #require(try modified())
        #expect(before.timeIntervalSinceNow > 7_000)
        try app.edit("New.bib", secretly: true) { bytes in
            Array(String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "old", with: "new").utf8)
        }
        #expect(try modified() == before)
        #expect(String(decoding: try app.bytes(of: "New.bib"), as: UTF8.self).contains("new"))
    }
}
