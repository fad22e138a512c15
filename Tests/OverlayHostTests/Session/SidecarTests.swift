import Foundation
import JSON
import Libraries
import OverlayABI
import OverlayBridge
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost
@testable import Publications

@Suite("A sidecar takes precedence over the metadata inside the book")
struct SidecarTests {
    private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

    @Test("The metadata of a backup say as a sidecar what the book said, for all texts")
    func backupMetadata() throws {
        let folder = try TemporaryFolder()
        let book = Book(
            uuid: "0a1b2c3d-0000-4000-8000-000000000001", title: "A & <B> \"c\" \u{1}]]>",
            titleSort: "B, A", authors: ["Jane & Co.", "Ann"], authorSort: "Co., Jane & Ann", series: "S'",
            seriesIndex: 2.5, publisher: "P", pubdate: "1815-12-23", description: "<p>one\n&amp;</p>",
            tags: ["x", "y < z"], collections: ["Best, of", "Ö"], rating: 3.5)
        let text = MetadataPackage.text(book, cover: "cover.png")
        try Data(text.utf8).write(to: folder.url.appendingPathComponent("metadata.opf"))
        try Data(png).write(to: folder.url.appendingPathComponent("cover.png"))
        let sidecar = try Sidecar(path: folder.path("metadata.opf"))
        var wanted = book
        wanted.title = "A & <B> \"c\" ]]>"
        wanted.collections = nil
        #expect(sidecar.book == wanted)
        #expect(try sidecar.cover { _ in nil }?.data == png)
        #expect(sidecar.columns.map(\.lookupName) == ["#collections"])
        #expect(sidecar.columns.first?.value == .texts(["Best, of", "Ö"]))
    }

    /// A package document as calibre writes it.
    private func opf(
        title: String = "Der Prozeß", columns: String = "",
        guide: String = #"<reference type="cover" href="cover.png"/>"#
    ) -> String {
        """
        <?xml version='1.0' encoding='utf-8'?>
        <package xmlns="http://www.idpf.org/2007/opf" unique-identifier="uuid_id" version="2.0">
          <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
            <dc:identifier opf:scheme="uuid" id="uuid_id">0a1b2c3d-0000-4000-8000-000000000001</dc:identifier>
            <dc:title>\(title)</dc:title>
            <dc:creator opf:file-as="Kafka, Franz" opf:role="aut">Franz Kafka</dc:creator>
            <dc:creator opf:role="trl">Willa Muir</dc:creator>
            <dc:subject>Klassiker</dc:subject>
            <dc:subject>Roman</dc:subject>
            <meta name="calibre:series" content="Werke"/>
            <meta name="calibre:series_index" content="3"/>
            <meta name="calibre:rating" content="8"/>
            <meta name="calibre:title_sort" content="Prozeß, Der"/>
            \(columns)
          </metadata>
          <guide>\(guide)</guide>
        </package>
        """
    }

    private func column(_ lookup: String, _ heading: String, _ type: String, _ value: String) -> String {
        let json =
            ##"{"name": "\##(heading)", "datatype": "\##(type)", "label": "x", "#value#": \##(value)}"##
        let quoted = json.replacing("\"", with: "&quot;")
        return ##"<meta name="calibre:user_metadata:\##(lookup)" content="\##(quoted)"/>"##
    }

    private var columns: String {
        column("#mm_collections", "Collections", "text", #"["Neu", "Krimi", "Neu", ""]"#)
            + column("#mm_locked", "Locked", "bool", "true")
            + column("#mm_word_count", "Word count", "int", "81234")
            + column("#broken", "Broken", "int", "[[")
    }

    private var mappings: JSONValue {
        get throws {
            try JSONValue(
                parsing: ##"""
                    {"Calibre Library": {
                        "marvin_collections": {"field": "#other", "combobox": "collections"},
                        "marvin_locked": {"field": "#mm_locked", "combobox": "Whatever"},
                        "marvin_word_count": {"field": "#mm_word_count", "combobox": ""}}}
                    """##)
        }
    }

    /// An EPUB with a title and a cover.
    private var bookWithCover: Data {
        let container = """
            <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Own</dc:title></metadata>
            <manifest><item id="c" href="c.png" media-type="image/png" properties="cover-image"/></manifest></package>
            """
        var archive = ZipBuilder()
        archive.entries = [
            .init("mimetype", Data("application/epub+zip".utf8)),
            .init("META-INF/container.xml", Data(container.utf8)), .init("c.opf", Data(package.utf8)),
            .init("c.png", Data(png)),
        ]
        return archive.data()
    }

    /// An overlay that stores what it receives.
    private final class Given {
        var books: [BookRecord] = []
    }

    private func uploading(_ settable: [String] = ["cover"]) throws -> (FakeEnvironment, Given) {
        let environment = try FakeEnvironment()
        let given = Given()
        environment.fake.descriptor.appName = "Marvin"
        environment.fake.descriptor.settableMetadata = settable
        environment.fake.upload = { items, _, results, _ in
            for index in 0..<Int(items.pointee.count) {
                guard let start = items.pointee.items else { return OVL_FAILED }
                let item = (start + index * Int(items.pointee.stride)).assumingMemoryBound(
                    to: ovl_upload_item.self)
                var book = item.pointee.book
                let place = Arena()
                book.path = place.text("/\(index)")
                given.books.append(BookRecord(checked: book))
                results.put(UInt64(index), OVL_OUTCOME_ADDED, path: "/\(index)")
                withExtendedLifetime(place) {}
            }
            return OVL_OK
        }
        return (environment, given)
    }

    private func book(_ environment: FakeEnvironment, _ name: String) throws -> String {
        let path = environment.folder.path(name)
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: RealBooks.history("fr"), to: URL(fileURLWithPath: path))
        return path
    }

    @Test(
        "The uuid, title, authors without translators, series, tags, rating and cover of metadata.opf reach the overlay"
    )
    func sidecar() throws {
        let (environment, given) = try uploading()
        let path = try book(environment, "lib/Der Prozess - Kafka.epub")
        _ = try environment.file("lib/metadata.opf", opf())
        #expect(writeFile(environment.folder.path("lib/cover.png"), png))
        let session = try environment.session()
        defer { session.close() }
        #expect(session.upload([path]).failure == nil)
        let found = try #require(given.books.first)
        #expect(found.title == "Der Prozeß")
        #expect(found.titleSort == "Prozeß, Der")
        #expect(found.authors == ["Franz Kafka"])
        #expect(found.authorSort == "Kafka, Franz")
        #expect(found.series == "Werke" && found.seriesIndex == 3)
        #expect(found.tags == ["Klassiker", "Roman"])
        #expect(found.rating == 4)
        #expect(found.cover == BookCover(mediaType: "image/png", size: UInt64(png.count), data: png))
        #expect(found.format == "application/epub+zip")
        #expect(found.uuid == "0a1b2c3d-0000-4000-8000-000000000001")
        #expect(found.contentID != nil && found.contentID != found.uuid)
    }

    @Test(
        "Without a sidecar the file's own metadata and cover are given; the cover only where covers can be set"
    )
    func own() throws {
        for settable in [["cover"], ["title"]] {
            let (environment, given) = try uploading(settable)
            let session = try environment.session()
            defer { session.close() }
            let path = environment.folder.path("a.epub")
            #expect(writeFile(path, [UInt8](bookWithCover)))
            #expect(session.upload([path]).failure == nil)
            let found = try #require(given.books.first)
            #expect(found.title == "Own")
            #expect(found.cover?.mediaType == "image/png")
            #expect(found.cover?.data == (settable == ["cover"] ? png : nil))
        }
    }

    @Test("Tracks of an audiobook and notes beside a book do not keep it from the folder's sidecar")
    func besideTracks() throws {
        let (environment, given) = try uploading()
        let path = try book(environment, "lib/a.epub")
        for name in ["lib/Part 1.m4b", "lib/Part 2.m4b", "lib/README.md"] {
            _ = try environment.file(name, "x")
        }
        _ = try environment.file("lib/metadata.opf", opf(title: "Of the folder"))
        let session = try environment.session()
        defer { session.close() }
        #expect(session.upload([path]).failure == nil)
        #expect(given.books.first?.title == "Of the folder")
    }

    @Test("A sidecar with the book's name takes precedence over one for the folder")
    func ownName() throws {
        let (environment, given) = try uploading()
        let path = try book(environment, "lib/a.epub")
        _ = try environment.file("lib/metadata.opf", opf(title: "Of the folder"))
        _ = try environment.file("lib/a.opf", opf(title: "Of the book"))
        let session = try environment.session()
        defer { session.close() }
        #expect(session.upload([path]).failure == nil)
        #expect(given.books.first?.title == "Of the book")
    }

    @Test("A sidecar or a cover that is a link is not read beside a book, because it may lead anywhere")
    func links() throws {
        let folder = try TemporaryFolder()
        for name in ["lib", "lib/sub"] { #expect(mkdir(folder.path(name), 0o700) == 0) }
        #expect(writeFile(folder.path("lib/a.epub"), [1]))
        #expect(writeFile(folder.path("secret.opf"), Array(opf().utf8)))
        #expect(writeFile(folder.path("secret.png"), png))
        for name in ["a.opf", "metadata.opf"] {
            #expect(symlink(folder.path("secret.opf"), folder.path("lib/" + name)) == 0)
        }
        #expect(Sidecar.path(for: folder.path("lib/a.epub")) == nil)
        let swapped = hostError { () throws(HostError) in
            _ = try Sidecar(path: folder.path("lib/a.opf"), followsLink: false)
        }
        #expect(swapped?.message == "This is a link, which is not followed.")
        #expect(symlink(folder.path("secret.png"), folder.path("lib/sub/cover.png")) == 0)
        #expect(writeFile(folder.path("lib/sub/a.opf"), Array(opf().utf8)))
        let sidecar = try Sidecar(path: folder.path("lib/sub/a.opf"))
        let error = hostError { () throws(HostError) in _ = try sidecar.cover { _ in nil } }
        #expect(error?.message == "This is a link, which is not followed.")
    }

    @Test("A metadata.opf counts for several formats of one book, but not for several books")
    func several() throws {
        let folder = try TemporaryFolder()
        for name in ["a.epub", "a.mobi", "metadata.opf", "cover.jpg", "notes"] {
            #expect(writeFile(folder.path(name), [1]))
        }
        #expect(Sidecar.path(for: folder.path("a.epub")) == folder.path("metadata.opf"))
        #expect(writeFile(folder.path("b.pdf"), [1]))
        #expect(Sidecar.path(for: folder.path("a.epub")) == nil)
        #expect(writeFile(folder.path("b.opf"), [1]))
        #expect(Sidecar.path(for: folder.path("b.pdf")) == folder.path("b.opf"))
        #expect(Sidecar.path(for: folder.path("metadata.opf")) == nil)
        #expect(Sidecar.path(for: folder.path("none/x.epub")) == nil)
    }

    @Test("Columns of the calibre library become collections, locked and word count, as cc_mappings says")
    func mapped() throws {
        let (environment, given) = try uploading()
        let path = try book(environment, "lib/a.epub")
        _ = try environment.file("lib/a.opf", opf(columns: columns))
        let session = try environment.session(["cc_mappings": try mappings])
        defer { session.close() }
        #expect(session.upload([path]).failure == nil)
        let found = try #require(given.books.first)
        #expect(found.collections == ["Neu", "Krimi"])
        #expect(found.isLocked == true)
        #expect(found.wordCount == 81234)
    }

    @Test("Without a mapping the columns say nothing")
    func unmapped() throws {
        let (environment, given) = try uploading()
        let path = try book(environment, "lib/a.epub")
        _ = try environment.file("lib/a.opf", opf(columns: columns))
        let session = try environment.session()
        defer { session.close() }
        #expect(session.upload([path]).failure == nil)
        #expect(given.books.first?.collections == nil)
        #expect(given.books.first?.isLocked == nil && given.books.first?.wordCount == nil)
    }

    @Test("One of several libraries is chosen by its name, and none without a choice")
    func libraries() throws {
        let two = try JSONValue(
            parsing: ##"{"A": {"marvin_locked": {"field": "#a"}}, "B": {"marvin_locked": {"field": "#b"}}}"##)
        let columns = [
            PackageFile.UserColumn(lookupName: "#a", heading: "", type: "bool", value: .bool(true)),
            PackageFile.UserColumn(lookupName: "#b", heading: "", type: "bool", value: .bool(false)),
        ]
        func locked(_ library: String?) throws -> Bool? {
            try ColumnMapping(two, library: library)?.applied(columns, to: BookRecord(path: "")).isLocked
        }
        #expect(try locked("A") == true)
        #expect(try locked("B") == false)
        #expect(try locked(nil) == nil)
        let error = hostError { () throws(HostError) in _ = try ColumnMapping(two, library: "C") }
        #expect(error?.code == .invalidArgument)
        #expect(error?.hint == "Available libraries: A, B.")
        #expect(try ColumnMapping(.object(JSONObject()), library: nil) == nil)
    }

    @Test("Values of other shapes are understood or left out")
    func shapes() throws {
        let mapping = try #require(
            try ColumnMapping(
                try JSONValue(
                    parsing:
                        ##"{"L": {"marvin_collections": {"combobox": "C"}, "marvin_word_count": {"field": "#w"}, "marvin_locked": {"field": "#l"}}}"##
                ), library: nil))
        func book(_ collections: JSONValue, _ count: JSONValue, _ locked: JSONValue) -> BookRecord {
            mapping.applied(
                [
                    .init(lookupName: "#c", heading: "c", type: "text", value: collections),
                    .init(lookupName: "#w", heading: "", type: "int", value: count),
                    .init(lookupName: "#l", heading: "", type: "bool", value: locked),
                ], to: BookRecord(path: ""))
        }
        let one = book(.string("Krimi"), .string("12"), .bool(false))
        #expect(one.collections == ["Krimi"] && one.wordCount == 12 && one.isLocked == false)
        let none = book(.null, .integer(-5), .string("yes"))
        #expect(none == BookRecord(path: ""))
    }

    @Test("A sidecar that is damaged, not a package or a pipe is reported, and the book is added without it")
    func damaged() throws {
        let (environment, given) = try uploading()
        let notices = CollectedNotices()
        var paths: [String] = []
        for (name, content) in [("a", "no xml at all"), ("b", "<html><body/></html>"), ("c", "")] {
            paths.append(try book(environment, "\(name)/\(name).epub"))
            _ = try environment.file("\(name)/\(name).opf", content)
        }
        var request = try environment.request()
        request.notice = { notices.add($0) }
        let session = try HostSession(try environment.target(), request)
        defer { session.close() }
        // The same content three times: only the first is sent, but each sidecar is read.
        #expect(session.upload(paths).rows.map(\.status) == [.added, .skipped, .skipped])
        #expect(notices.all.count == 3)
        #expect(given.books.count == 1)
        #expect(mkfifo(environment.folder.path("p.opf"), 0o600) == 0)
        #expect(Sidecar.path(for: environment.folder.path("p.epub")) == nil)
    }

    @Test(
        "A cover that is not beside the sidecar, or not an image, is not read",
        arguments: ["../cover.png", "/etc/passwd", "sub/cover.png", "..", "cover.txt", "missing.png"])
    func hostileCovers(_ reference: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("lib/sub"), withIntermediateDirectories: true)
        for name in ["cover.png", "lib/sub/cover.png"] { #expect(writeFile(folder.path(name), png)) }
        #expect(writeFile(folder.path("lib/cover.txt"), Array("text".utf8)))
        let guide = #"<reference type="cover" href="\#(reference)"/>"#
        #expect(writeFile(folder.path("lib/a.opf"), Array(opf(guide: guide).utf8)))
        let sidecar = try Sidecar(path: folder.path("lib/a.opf"))
        let error = hostError { () throws(HostError) in _ = try sidecar.cover { _ in nil } }
        #expect(error?.subject?.hasSuffix(reference) == true)
        #expect(sidecar.book.title == "Der Prozeß")
    }

    @Test("A cover larger than allowed is left out, with the reason; a sidecar without a cover needs none")
    func largeCover() throws {
        let folder = try TemporaryFolder()
        #expect(writeFile(folder.path("cover.png"), png))
        #expect(writeFile(folder.path("a.opf"), Array(opf().utf8)))
        let sidecar = try Sidecar(path: folder.path("a.opf"))
        #expect(try sidecar.cover { $0 == UInt64(png.count) ? nil : "wrong" }?.data == png)
        let error = hostError { () throws(HostError) in _ = try sidecar.cover { _ in "too large." } }
        #expect(error?.message == "too large." && error?.subject == folder.path("cover.png"))
        #expect(writeFile(folder.path("b.opf"), Array(opf(guide: "").utf8)))
        #expect(try Sidecar(path: folder.path("b.opf")).cover { _ in "too large." } == nil)
    }

    @Test("Each row whose cover is left out says so: no room for it, missing, or not an image")
    func leftOutCovers() throws {
        let (environment, given) = try uploading()
        let session = try environment.session()
        defer { session.close() }
        var files: [String] = []
        for (index, name) in ["a", "b"].enumerated() {
            files.append(environment.folder.path("\(name).epub"))
            // Another size makes another book.
            #expect(writeFile(files[index], [UInt8](bookWithCover) + [UInt8](repeating: 0, count: index)))
        }
        files.append(try book(environment, "c.epub"))
        _ = try environment.file("c.opf", opf(guide: #"<reference type="cover" href="gone.png"/>"#))
        var options = UploadRequest()
        options.coverRoom = UInt64(png.count)
        let rows = session.upload(files, options).rows
        #expect(rows.map(\.status) == [.added, .added, .added])
        #expect(given.books.map { $0.cover?.data } == [png, nil, nil])
        #expect(rows[0].message == nil)
        #expect(rows[1].message?.contains("The cover was left out: the covers in one upload") == true)
        let gone = try #require(rows[2].message)
        #expect(gone.contains("gone.png: No such file"), "\(gone)")
    }

    @Test("For a reader app without covers the rows do not mention them")
    func noCovers() throws {
        let (environment, _) = try uploading(["title"])
        let session = try environment.session()
        defer { session.close() }
        let file = try book(environment, "c.epub")
        _ = try environment.file("c.opf", opf(guide: #"<reference type="cover" href="gone.png"/>"#))
        #expect(session.upload([file]).rows.map(\.message) == [nil])
    }

    @Test("A cover of a change that cannot be used is reported")
    func changeWithoutCover() throws {
        let folder = try TemporaryFolder()
        #expect(writeFile(folder.path("a.opf"), Array(opf().utf8)))
        var notices: [String] = []
        let changes = try BookChanges(sidecar: folder.path("a.opf")) { notices.append($0) }
        #expect(changes.cover == nil && changes.title == "Der Prozeß")
        #expect(notices.count == 1 && notices[0].contains("cover.png"))
    }

    @Test("Version 3 of package documents has all columns in one element")
    func version3() throws {
        let json =
            ##"{"#mm_locked": {"name": "Locked", "datatype": "bool", "#value#": true}, "bad": 3}"##
        let folder = try TemporaryFolder()
        let element = #"<meta property="calibre:user_metadata">\#(json)</meta>"#
        #expect(writeFile(folder.path("a.opf"), Array(opf(columns: element).utf8)))
        let sidecar = try Sidecar(path: folder.path("a.opf"))
        #expect(
            sidecar.columns == [
                .init(lookupName: "#mm_locked", heading: "Locked", type: "bool", value: .bool(true))
            ])
    }
}
