import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Simulated readers keep their books as files")
struct SimulatedReaderTests {
    private func device(_ apps: [SimulatedApp], _ folder: TemporaryFolder) throws -> SimulatedDevice {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.apps = apps
        return try SimulatedDevice(folder: folder.url, settings: settings)
    }

    @Test("Readers bring sample books once, and none if they already have books")
    func samples() throws {
        let folder = try TemporaryFolder()
        let first = try device([SimulatedReader.paperback(), SimulatedReader.kindle()], folder)
        let paperback = SimulatedReader(device: first)
        #expect(try paperback.files().contains("Crime/Holmes/sign4.epub"))
        #expect(try paperback.files().contains("Crime/Unpacked.epub/mimetype"))
        #expect(try SimulatedReader(device: first, bundleID: SimulatedReader.kindleID).files().count == 4)
        try FileManager.default.removeItem(at: paperback.document("Emma.epub"))
        let again = try device([SimulatedReader.paperback()], folder)
        #expect(try !SimulatedReader(device: again).files().contains("Emma.epub"))

        let other = try TemporaryFolder()
        let mine = SimulatedReader(
            container: other.url.appendingPathComponent("Containers/\(SimulatedReader.paperbackID)"))
        try Data("x".utf8).write(to: mine.place("mine.txt"))
        _ = try device([SimulatedReader.paperback()], other)
        #expect(try mine.files() == ["mine.txt"])
    }

    @Test("A Mobipocket file has its records where its directory says")
    func mobi() throws {
        let book = SampleMOBI(title: "Émile", authors: ["A", "B"], cover: [0xFF, 0xD8, 1], length: 5_000)
        let bytes = book.bytes
        #expect(bytes[60..<68].elementsEqual("BOOKMOBI".utf8))
        let count = Int(bytes[76]) << 8 | Int(bytes[77])
        #expect(count == 4)
        func offset(_ record: Int) -> Int {
            bytes[(78 + record * 8)..<(82 + record * 8)].reduce(0) { $0 << 8 | Int($1) }
        }
        #expect(bytes[(offset(0) + 16)..<(offset(0) + 20)].elementsEqual("MOBI".utf8))
        #expect(Array(bytes[offset(3)...]) == [0xFF, 0xD8, 1])
    }

    @Test("A settings file can list the readers with the formats that they open")
    func settingsFile() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("device.json")
        let text = """
            { "apps": [ { "bundle_id": "a.b", "name": "A", "behaves_as": "reader" },
                        { "bundle_id": "c.d", "name": "C", "opens": ["epub", "com.adobe.pdf"] } ] }
            """
        try Data(text.utf8).write(to: url)
        var settings = SimulatedDeviceSettings()
        try SimulatedDeviceFile(contentsOf: url).apply(to: &settings)
        #expect(settings.apps[0].documentTypes == SimulatedReader.paperback().documentTypes)
        #expect(settings.apps[1].documentTypes.map(\.extensions) == [["epub"], []])
        #expect(settings.apps[1].documentTypes.map(\.contentTypes) == [[], ["com.adobe.pdf"]])
        let stated = SimulatedDeviceFile(settings)
        #expect(stated.apps?[1].opens == ["epub", "com.adobe.pdf"])
        #expect(stated.apps?[0].behavesAs == "reader")
    }
}
