import DeviceTransport
import Foundation
import OverlayABI
import OverlayBridge
import TestSupport
import Testing

@testable import OverlayHost

@Suite("A book is identified by its own uuid, and its bytes apart from that")
struct BookIdentityTests {
    private static func uuid(_ digit: Int) -> String {
        "\(digit)a1b2c3d-0000-4000-8000-00000000000\(digit)"
    }

    /// An EPUB whose package document has these identifiers; another `title` is other content.
    private func epub(_ identifiers: String, unique: String = "none", title: String = "Emma") -> Data {
        let container = """
            <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="\(unique)">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
            <dc:title>\(title)</dc:title>\(identifiers)</metadata><manifest/></package>
            """
        var archive = ZipBuilder()
        archive.entries = [
            .init("mimetype", Data("application/epub+zip".utf8)),
            .init("META-INF/container.xml", Data(container.utf8)), .init("c.opf", Data(package.utf8)),
        ]
        return archive.data()
    }

    private func write(_ environment: FakeEnvironment, _ name: String, _ content: Data) throws -> String {
        let path = environment.folder.path(name)
        try content.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The values of each item that an overlay receives.
    private final class Given {
        var books: [BookRecord] = []
        var uuids: [String?] { books.map(\.uuid) }
    }

    /// An overlay that adds every book it receives.
    private func adding(_ environment: FakeEnvironment) -> Given {
        let given = Given()
        environment.fake.upload = { items, _, results, _ in
            for index in 0..<Int(items.pointee.count) {
                guard let start = items.pointee.items else { return OVL_FAILED }
                var book = (start + index * Int(items.pointee.stride)).assumingMemoryBound(
                    to: ovl_upload_item.self
                ).pointee.book
                let place = Arena()
                book.path = place.text("/\(index)")
                given.books.append(BookRecord(checked: book))
                results.put(UInt64(index), OVL_OUTCOME_ADDED, path: "/\(index)")
                withExtendedLifetime(place) {}
            }
            return OVL_OK
        }
        return given
    }

    /// The identity of a file that is uploaded alone.
    private func identity(
        _ name: String, _ content: Data, sidecar: String? = nil, given: [String] = []
    ) throws -> BookRecord {
        let environment = try FakeEnvironment()
        let books = adding(environment)
        let file = try write(environment, name, content)
        if let sidecar { _ = try environment.file("metadata.opf", sidecar) }
        let session = try environment.session()
        defer { session.close() }
        #expect(session.upload([file], UploadRequest(uuids: given)).failure == nil)
        return try #require(books.books.first)
    }

    @Test(
        "The uuid is the caller's, else the sidecar's, that in the file's name, or the book's own"
    )
    func order() throws {
        let content = epub(#"<dc:identifier opf:scheme="uuid">\#(Self.uuid(4))</dc:identifier>"#)
        let sidecar = """
            <package xmlns="http://www.idpf.org/2007/opf" unique-identifier="u" version="2.0">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
            <dc:identifier opf:scheme="calibre">12</dc:identifier>
            <dc:identifier id="u" opf:scheme="uuid">\(Self.uuid(2))</dc:identifier>
            <dc:title>Emma</dc:title></metadata></package>
            """
        let name = Self.uuid(3).uppercased() + ".epub"
        let given = Self.uuid(1).uppercased()
        let all = try identity(name, content, sidecar: sidecar, given: [given])
        #expect(all.uuid == Self.uuid(1))
        #expect(try identity(name, content, sidecar: sidecar).uuid == Self.uuid(2))
        #expect(try identity(name, content).uuid == Self.uuid(3))
        let own = try identity("emma.epub", content)
        #expect(own.uuid == Self.uuid(4))
        #expect(own.contentID == all.contentID && own.contentID != own.uuid)
    }

    @Test(
        "calibre's identifier of a book counts first, then a stated UUID, then the unique one if it is a UUID",
        arguments: [
            ([(nil, "urn:uuid:2"), ("calibre", "1")], 1), ([(nil, "2"), ("UUID", "1")], 1),
            ([(nil, "2"), (nil, "URN:UUID:1")], 1), ([("BookID", "1"), ("BookID", "2")], 1),
            ([(nil, "1"), ("calibre", "17")], 1), ([("uuid", "12345")], nil),
            ([(nil, "https://example.org/1")], nil),
            ([(nil, "https://example.org/1"), (nil, "2")], nil), ([("BookID", "17"), ("BookID", "2")], nil),
        ] as [([(scheme: String?, value: String)], Int?)])
    func identifiers(_ identifiers: [(scheme: String?, value: String)], _ digit: Int?) throws {
        var markup = ""
        for (place, identifier) in identifiers.enumerated() {
            let scheme = identifier.scheme.map { " opf:scheme='\($0)'" } ?? ""
            let value = identifier.value.replacing(#/^(urn:uuid:)?([12])$/#.ignoresCase()) { match in
                (match.1 ?? "") + Self.uuid(Int(match.2) ?? 0)
            }
            // The unique identifier is not always the first one.
            markup = "<dc:identifier id='id\(place)'\(scheme)>\(value)</dc:identifier>" + markup
        }
        let book = try identity("emma.epub", epub(markup, unique: "id0"))
        #expect(book.uuid == digit.map(Self.uuid) ?? book.contentID)
    }

    @Test(
        "An invalid UUID, or one that means none, does not identify a book",
        arguments: [
            "0a1b2c3d00004000800000000000000a", "0a1b2c3d-0000-4000-8000-00000000000",
            "{0a1b2c3d-0000-4000-8000-000000000001}",
            "0a1b2c3d-0000-4000-8000-00000000000g", "../b2c3d-0000-4000-8000-000000000001",
            "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-FFFF-ffff-ffffffffffff",
        ])
    func malformed(_ text: String) throws {
        let content = epub(
            #"<dc:identifier id="id" opf:scheme="uuid">\#(text)</dc:identifier>"#, unique: "id")
        let book = try identity(text.replacing("/", with: "-") + ".epub", content)
        #expect(book.uuid == book.contentID)
        let environment = try FakeEnvironment()
        let given = adding(environment)
        let session = try environment.session()
        defer { session.close() }
        let file = try write(environment, "emma.epub", content)
        let result = session.upload([file], UploadRequest(uuids: [text]))
        #expect(result.failure?.code == .invalidArgument && result.failure?.subject == text)
        #expect(result.rows.map(\.status) == [.failed] && given.books.isEmpty)
    }

    @Test("As many uuids are given as files, or none")
    func count() throws {
        let environment = try FakeEnvironment()
        let given = adding(environment)
        let session = try environment.session()
        defer { session.close() }
        let files = [try environment.file("a.pdf", "a"), try environment.file("b.pdf", "b")]
        let refused = session.upload(files, UploadRequest(uuids: [Self.uuid(1)]))
        #expect(
            refused.failure?.message == "The number of uuids does not match the number of files."
                && given.books.isEmpty)
        #expect(session.upload(files, UploadRequest(uuids: [Self.uuid(2), Self.uuid(1)])).failure == nil)
        #expect(given.uuids == [Self.uuid(2), Self.uuid(1)])
    }

    @Test("Two files of one uuid both go to the overlay, which says so; the same bytes go once")
    func oneUUID() throws {
        let environment = try FakeEnvironment()
        let given = adding(environment)
        let session = try environment.session()
        defer { session.close() }
        let template = "<dc:identifier>urn:uuid:\(Self.uuid(1))</dc:identifier>"
        let files = [
            try write(environment, "emma.epub", epub(template)),
            try write(environment, "persuasion.epub", epub(template, title: "Persuasion")),
            try write(environment, "copy.epub", epub(template)),
        ]
        let rows = session.upload(files).rows
        #expect(rows.map(\.status) == [.added, .added, .skipped])
        #expect(given.uuids == [Self.uuid(1), Self.uuid(1)])
        #expect(Set(given.books.map(\.contentID)).count == 2)
        #expect(rows[0].message == nil && rows[1].message == nil)
    }

    @Test(
        "An overlay that was built before contents had an identity gets that as the uuid, as its contract says"
    )
    func olderOverlay() throws {
        let environment = try FakeEnvironment()
        environment.fake.minor = 3
        let given = adding(environment)
        let session = try environment.session()
        defer { session.close() }
        let content = epub("<dc:identifier>urn:uuid:\(Self.uuid(1))</dc:identifier>")
        #expect(session.upload([try write(environment, "emma.epub", content)]).failure == nil)
        let book = try #require(given.books.first)
        #expect(book.uuid == book.contentID && book.uuid != Self.uuid(1))
    }

    @Test(
        "On a full device a book of the same uuid needs room if it is to take the place of another file",
        arguments: [
            (.protect, 7, nil, false), (.replace, nil, nil, false), (.replace, 3, nil, false),
            (.replace, 7, nil, true),
            (.replace, 7, "ba7816bf-8f01-8fea-8141-40de5dae2223", false),
        ] as [(UploadRequest.Conflict, UInt64?, String?, Bool)])
    func room(_ conflict: UploadRequest.Conflict, _ size: UInt64?, _ content: String?, _ isRefused: Bool)
        throws
    {
        let environment = try FakeEnvironment()
        environment.fake.books = { _, sink, _ in
            var book = BookRecord(path: "/x")
            (book.uuid, book.size, book.contentID) = (Self.uuid(1), size, content)
            return sink.put(book)
        }
        environment.fake.upload = { _, _, results, _ in results.put(0, OVL_OUTCOME_SKIPPED) }
        environment.device.files.set(free: 1)
        let session = try environment.session()
        defer { session.close() }
        let file = try environment.file(Self.uuid(1) + ".pdf", "abc")
        let result = session.upload([file], UploadRequest(onConflict: conflict))
        #expect((result.failure?.code == .noSpace) == isRefused)
        #expect(result.rows.map(\.status) == [isRefused ? .failed : .skipped])
    }
}
