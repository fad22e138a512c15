import Foundation
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("The simulated GoodReader keeps documents, previews and the old cache as the real one")
struct SimulatedGoodReaderTests {
    private func reader() throws -> (SimulatedGoodReader, TemporaryFolder) {
        let folder = try TemporaryFolder()
        return (SimulatedGoodReader(GoodReaderContainer(folder: folder.url)), folder)
    }

    @Test("A document has the size it was given, takes no room for it, and its table of objects is right")
    func document() throws {
        let (reader, folder) = try reader()
        let document = SimulatedPDF(title: "Größe", author: "Ä", pages: 7, size: 3_000_000)
        try reader.add(document, at: "A/B/c.pdf")
        let url = reader.container.document("A/B/c.pdf")
        let bytes = try Data(contentsOf: url)
        #expect(abs(bytes.count - 3_000_000) < 1_024 && bytes == Data(document.bytes()))
        var status = stat()
        #expect(stat(url.path, &status) == 0 && Int(status.st_blocks) * 512 < 500_000)
        let text = String(decoding: bytes.suffix(2_000), as: UTF8.self)
        for number in [3, 4, 6] {
            let object = try #require(bytes.range(of: Data("\n\(number) 0 obj".utf8)))
            let digits = String(object.lowerBound + 1)
            #expect(text.contains(String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n"))
        }
        withExtendedLifetime(folder) {}
    }

    @Test("Opening the app draws the previews that are missing and leaves the others")
    func launch() throws {
        let (reader, folder) = try reader()
        try reader.add(SimulatedPDF(), at: "deep/er/a.pdf")
        try reader.add(SimulatedPDF(), at: "b.pdf")
        try reader.add([1], at: "note.txt")
        try reader.writePreview(of: "b.pdf", [9])
        try reader.launch()
        let previews = try FileManager.default.subpathsOfDirectory(
            atPath: reader.container.previews.path
        ).filter { $0.hasSuffix(".pdf") }
        #expect(Set(previews) == ["deep/er/a.pdf", "b.pdf"])
        let kept = try SQLiteDatabase(reader.container.preview(of: "b.pdf").path)
            .run("SELECT thumb FROM Pages WHERE pageNum = 1")
        #expect(kept == [[.blob([9])]])
        withExtendedLifetime(folder) {}
    }

    @Test("The old cache has one row for each file, in the columns its readers expect")
    func cache() throws {
        let (reader, folder) = try reader()
        try reader.writeCache([
            GoodReaderCacheRow(path: "a.pdf", title: "size", authors: "A & B", added: 5, thumbnail: [1, 2])
        ])
        let rows = try SQLiteDatabase(reader.container.cache.path)
            .run("SELECT filename, title, authors, dateadded, thumb_data, uuid FROM metadata")
        #expect(
            rows == [[.text("a.pdf"), .text("size"), .text("A & B"), .integer(5), .text("AQI="), .null]])
        withExtendedLifetime(folder) {}
    }

    @Test("The file of a device's settings names GoodReader")
    func settingsFile() throws {
        var settings = SimulatedDeviceSettings(apps: [SimulatedGoodReader.app()])
        let file = SimulatedDeviceFile(settings)
        #expect(file.apps?.first?.behavesAs == "goodreader")
        settings.apps = []
        try file.apply(to: &settings)
        #expect(settings.apps == [SimulatedGoodReader.app()])
    }
}
