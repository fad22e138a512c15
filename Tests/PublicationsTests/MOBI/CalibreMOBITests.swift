import Archives
import Formats
import Foundation
import Publications
import Testing

/// calibre 6.13 wrote the files in `Fixtures` from a text of one sentence, in its three formats. libmobi 0.11 reads
/// the same values from them.
@Suite("MOBI and AZW3 files that calibre wrote are read")
struct CalibreMOBITests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures")

    private func source(_ name: String) throws -> DataByteSource {
        DataByteSource(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    }

    @Test(
        "All values that were written are read, with a name and without",
        arguments: ["mobi6.mobi", "joint.mobi", "kf8.azw3"])
    func fields(name: String) throws {
        let source = try source(name)
        for given in [name, nil] {
            let info = try Publication.read(from: source, name: given)
            let data = info.metadata
            #expect(data.title == "A Dark Night Ä")
            #expect(data.authors.map(\.name) == ["Ann Ü", "Bob B"])
            #expect(data.publisher == "Pub")
            #expect(data.published?.dayText == "2020-02-03")
            #expect(data.subjects == ["a", "b"])
            #expect(data.isbn == "9783161484100")
            #expect(data.languages == ["en"])
            #expect(data.description == "A <b>fine</b> book")
            #expect(info.shortcomings.isEmpty)
            #expect(
                try info.cover?.read()
                    == Data(contentsOf: Self.folder.appendingPathComponent("cover.jpg")))
        }
    }

    @Test("The version in the file decides the format if no name does")
    func formats() throws {
        #expect(Publication.format(of: try source("mobi6.mobi"))?.name == "MOBI")
        #expect(Publication.format(of: try source("joint.mobi"))?.name == "MOBI")
        #expect(Publication.format(of: try source("kf8.azw3"))?.name == "AZW3")
    }

    @Test(
        "A copy that was broken off at any place is read without a trap",
        arguments: ["mobi6.mobi", "kf8.azw3"])
    func truncated(name: String) throws {
        let whole = try Data(contentsOf: Self.folder.appendingPathComponent(name))
        for length in stride(from: 0, to: whole.count, by: 97) {
            do {
                let info = try Publication.read(
                    from: DataByteSource(whole.prefix(length)), name: name)
                #expect(info.metadata.title != "")
            } catch {
                #expect(error.code == .damaged || error.code == .unsupportedFormat, "\(error)")
            }
        }
    }
}
