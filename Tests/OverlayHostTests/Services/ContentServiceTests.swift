import DeviceTransport
import Foundation
import OverlayABI
import OverlayKit
import Synchronization
import TestSupport
import Testing

@testable import OverlayHost

/// The services of a running method, as a Swift overlay sees them.
private struct Services {
    let sniff: SniffService
    let fetch: FetchService
    let metadata: MetadataService
}

@Suite(
    "The services that look into files serve every source, read little, and keep to the state of the method")
struct ContentServiceTests {
    /// Runs `body` inside a method that may use the device.
    private func within(_ environment: FakeEnvironment, _ body: @escaping (Services) throws -> Void) throws {
        var failure: (any Error)?
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            do { try body(Self.services(fake)) } catch { failure = error }
            return OVL_OK
        }
        let instance = try environment.attached()
        _ = try instance.books()
        instance.destroy()
        if let failure { throw failure }
    }

    private static func services(_ fake: FakeOverlay) throws -> Services {
        let sniff: UnsafePointer<ovl_sniff_service>? = fake.service(OVL_SERVICE_SNIFF)
        let fetch: UnsafePointer<ovl_fetch_service>? = fake.service(OVL_SERVICE_FETCH)
        let metadata: UnsafePointer<ovl_metadata_service>? = fake.service(OVL_SERVICE_METADATA)
        return Services(
            sniff: SniffService(try #require(sniff).pointee),
            fetch: FetchService(try #require(fetch).pointee),
            metadata: MetadataService(try #require(metadata).pointee))
    }

    private func status(_ body: () throws -> Void) -> OverlayStatus? {
        (#expect(throws: OverlayError.self) { try body() })?.status
    }

    private func book() throws -> [UInt8] { [UInt8](try Data(contentsOf: RealBooks.history("fr"))) }

    @Test(
        "A book on the device is recognised by content, and its title and cover are read, without a copy of it"
    )
    func deviceBook() throws {
        let environment = try FakeEnvironment()
        let bytes = try book()
        environment.device.files["/Documents/no extension"] = bytes
        try within(environment) { services in
            let source = ContentSource.device(.documents, "/Documents/no extension")
            let format = try services.sniff.sniff(source)
            #expect(format.mediaType == "application/epub+zip")
            #expect(format.sniffer == "epub" && format.round == .heavy)
            #expect(format.bytesRead > 0 && format.bytesRead < UInt64(bytes.count / 2))
            let metadata = try services.metadata.read(source)
            #expect(metadata.book.title?.contains("Debian") == true)
            #expect(metadata.book.format == "application/epub+zip")
            #expect(metadata.book.size == UInt64(bytes.count))
            #expect(metadata.book.coverData == nil && metadata.book.path == nil)
            #expect(metadata.languages.first?.hasPrefix("fr") == true)
            #expect(metadata.bytesRead <= UInt64(bytes.count))
        }
    }

    @Test("The same book gives the same answers from memory, from a lent file and from the device")
    func everySource() throws {
        let environment = try FakeEnvironment()
        let bytes = try book()
        environment.device.files["/b.epub"] = bytes
        let local = try RealBooks.history("fr").path
        var titles: [String?] = []
        var entries: [Int] = []
        environment.fake.upload = { [fake = environment.fake] items, _, results, _ in
            do {
                let services = try Self.services(fake)
                var lent: [UInt64] = []
                try items.pointee.forEach(ovl_upload_item.self, "items") { item throws(OverlayError) in
                    lent.append(item.file)
                }
                let sources: [ContentSource] =
                    lent.map { .file(HostFile(rawValue: $0)) } + [
                        .bytes(bytes, name: "b.epub"), .device(.media, "/b.epub"),
                    ]
                titles = try services.metadata.read(sources).map { try $0.get().book.title }
                entries = try sources.map { try services.fetch.links($0).count }
            } catch {
                Issue.record(error)
            }
            var row = ovl_item_result()
            row.struct_size = UInt32(MemoryLayout<ovl_item_result>.size)
            row.outcome = OVL_OUTCOME_SKIPPED
            return results.pointee.put?(results.pointee.ctx, &row) ?? OVL_FAILED
        }
        let instance = try environment.attached()
        let input = UploadInput(
            path: local, name: "b.epub", identity: try #require(LocalIdentity(path: local)),
            book: BookRecord(path: ""))
        let rows = instance.uploadBooks([input], conflict: OVL_CONFLICT_PROTECT, collections: [])
        #expect(rows.failure == nil)
        instance.destroy()
        #expect(titles.count == 3 && Set(titles).count == 1 && titles.first != .some(nil))
        #expect(entries.count == 3 && Set(entries).count == 1 && (entries.first ?? 0) > 5)
    }

    @Test("Parts of a book are read decompressed, by ranges, and a part that is not there is not found")
    func parts() throws {
        let environment = try FakeEnvironment()
        environment.device.files["/b.epub"] = try book()
        try within(environment) { services in
            let source = ContentSource.device(.documents, "/b.epub")
            let container = try services.fetch.readAll(source, "/META-INF/container.xml", limit: 1 << 20)
            #expect(String(decoding: container, as: UTF8.self).contains("rootfile"))
            #expect(
                try services.fetch.readAll(
                    source, "META-INF/container.xml", offset: 2, length: 3, limit: 10)
                    == Array(container[2..<5]))
            let info = try services.fetch.info(source, "/META-INF/container.xml")
            #expect(info.length == UInt64(container.count) && info.mediaType == "application/xml")
            #expect(try services.fetch.info(source).length == UInt64(try book().count))
            #expect(try services.fetch.readAll(source, offset: 0, length: 2, limit: 2) == Array("PK".utf8))
            #expect(try services.fetch.readAll(source, offset: 1 << 40, limit: 2) == [])
            #expect(status { _ = try services.fetch.info(source, "/nothing") } == .notFound)
            #expect(status { _ = try services.fetch.links(.bytes([1, 2, 3])) } == .unsupportedFormat)
        }
    }

    @Test("A missing source gives a row with the device's own error, and the others are answered")
    func missing() throws {
        let environment = try FakeEnvironment()
        environment.device.files["/b.epub"] = try book()
        try within(environment) { services in
            let rows = try services.sniff.sniff([
                .device(.documents, "/nothing"), .device(.documents, "/b.epub"), .bytes(Array("%PDF-1".utf8)),
                .bytes(Array("nothing known".utf8)),
            ])
            #expect(throws: OverlayError.self) { try rows[0].get() }
            if case .failure(let error) = rows[0] {
                #expect(error.status == .notFound && error.subject == "/nothing")
            }
            #expect(try rows[1].get().round == .light)
            #expect(try rows[2].get().mediaType == "application/pdf")
            #expect(try rows[3].get().mediaType == nil)
            #expect(
                status { _ = try services.metadata.read(.bytes(Array("nothing".utf8))) }
                    == .unsupportedFormat)
        }
    }

    @Test("A file's metadata is cut to a limit beyond any real book's, so that an overlay can pass it on")
    func tooMuch() throws {
        let title = String(repeating: "é", count: 12_000)
        let page = "<!DOCTYPE html><html><head><title>\(title)</title></head><body><p>x</p></body></html>"
        try within(try FakeEnvironment()) { services in
            let book = try services.metadata.read(.bytes(Array(page.utf8), name: "page.html")).book
            #expect(book.title?.utf8.count == 16 << 10)
            #expect(book.title.map { title.hasPrefix($0) } == true)
        }
    }

    @Test("Many books on the device are looked into together, and each has the answer it has alone")
    func manyBooks() throws {
        let environment = try FakeEnvironment()
        let names = (0..<40).map { "/Documents/\($0).epub" }
        for name in names where name != "/Documents/7.epub" { environment.device.files[name] = try book() }
        environment.device.files["/Documents/8.epub"] = Array("no book".utf8)
        try within(environment) { services in
            let rows = try services.metadata.read(
                names.map { .device(.documents, $0) } + [.device(.documents, "..")])
            let calls = environment.device.files.endsRead.withLock { $0 }
            #expect(calls == [32, 8])
            let alone = try services.metadata.read(.device(.documents, names[0]))
            for (index, row) in rows.enumerated() {
                switch (index, row) {
                case (7, .failure(let error)): #expect(error.status == .notFound)
                case (8, .failure(let error)): #expect(error.status != .notFound)
                case (40, .failure(let error)): #expect(error.status == .invalidArgument)
                case (_, .success(let metadata)): #expect(metadata == alone)
                case (_, .failure(let error)): Issue.record("\(index): \(error)")
                }
            }
        }
    }

    @Test(
        "A sniffer of the overlay's own recognises its format by hint, by XML root, by JSON member and by bytes"
    )
    func ownSniffers() throws {
        let environment = try FakeEnvironment()
        try within(environment) { services in
            try services.sniff.register(
                FormatSniffer(
                    mediaType: "application/x-score", name: "Score", fileExtension: "score",
                    rules: [.xmlRoot("score", namespace: "urn:music")]))
            try services.sniff.register(
                FormatSniffer(
                    mediaType: "application/x-tune", name: "Tune", fileExtension: "tune",
                    rules: [.jsonMember("kind", equals: "tune"), .jsonMember("notes")]))
            try services.sniff.register(
                FormatSniffer(
                    mediaType: "application/x-song", name: "Song", fileExtension: "song",
                    rules: [.magic([0x53, 0x4F], offset: 2)]))
            func sniff(_ text: String, _ name: String? = nil) throws -> SniffResult {
                try services.sniff.sniff(.bytes(Array(text.utf8), name: name))
            }
            let byName = try sniff("", "a.SCORE")
            #expect(byName.name == "Score" && byName.round == .light && byName.sniffer == "fake")
            #expect(try sniff("<score xmlns='urn:music'/>").fileExtension == "score")
            #expect(try sniff("<score xmlns='urn:other'/>").name != "Score")
            #expect(try sniff("{\"kind\": \"tune\", \"notes\": []}").name == "Tune")
            #expect(try sniff("{\"kind\": \"tune\"}").name != "Tune")
            #expect(try sniff("..SO").name == "Song")
            #expect(try sniff(".SO.").name == nil)
        }
    }

    @Test("A sniffer that is malformed, one too many or already registered is refused")
    func refusedSniffers() throws {
        let environment = try FakeEnvironment()
        try within(environment) { services in
            func register(_ type: String, _ rules: [FormatSniffer.Rule] = []) throws {
                try services.sniff.register(
                    FormatSniffer(mediaType: type, name: "X", fileExtension: "x", rules: rules))
            }
            #expect(status { try register("no type") } == .invalidArgument)
            #expect(status { try register("a/b", [.magic([1], offset: 70_000)]) } == .invalidArgument)
            #expect(status { try register("a/b", [.magic([])]) } == .invalidArgument)
            try register("a/b")
            #expect(status { try register("A/B") } == .alreadyExists)
            for number in 2...64 { try register("a/b\(number)") }
            #expect(status { try register("a/b65") } == .busy)
        }
    }

    @Test("Methods that only compute may look into memory, and not at the device or a server")
    func pureMethods() throws {
        let environment = try FakeEnvironment()
        environment.device.files["/b.epub"] = try book()
        var asked: [OverlayStatus?] = []
        environment.fake.add = { [fake = environment.fake] _, _, _, _ in
            do {
                let services = try Self.services(fake)
                #expect(try services.sniff.sniff(.bytes(Array("%PDF".utf8))).name == "PDF")
                for source: ContentSource in [.device(.documents, "/b.epub"), .url("http://localhost:1/")] {
                    do throws(OverlayError) { _ = try services.sniff.sniff(source) } catch {
                        asked.append(error.status)
                    }
                }
            } catch {
                Issue.record(error)
            }
            return OVL_OK
        }
        let instance = try environment.attached()
        _ = try instance.addBooksToMetadata([], snapshot: [])
        instance.destroy()
        #expect(asked == [.wrongState, .wrongState])
    }

    @Test("A device that fails ends a look into its files with its own error")
    func failingDevice() throws {
        let environment = try FakeEnvironment()
        environment.device.files["/b.epub"] = try book()
        environment.device.files.set(
            failure: TransportError(.deviceGone, "The device was disconnected.", hint: "Plug it in."))
        try within(environment) { services in
            let row = try services.metadata.read([.device(.documents, "/b.epub")])[0]
            guard case .failure(let error) = row else {
                Issue.record("the row did not fail")
                return
            }
            #expect(error.status == .deviceGone && error.hint == "Plug it in.")
        }
    }
}
