import BookModel
import DeviceTransport
import Formats
import Foundation
import JSON
import OverlayABI
import OverlayBridge
import Testing
import TestSupport

@testable import OverlayServices
@testable import OverlayHost

@Suite("An upload has one row per file in their order, in every case")
struct UploadTests {
    /// An overlay that pushes every item to `/uuid` and reports it.
    private func pushing(_ environment: FakeEnvironment) {
        environment.fake.upload = { [fake = environment.fake] items, options, results, error in
            let table = fake.transport
            for index in 0..<Int(items.pointee.count) {
                guard let start = items.pointee.items else { return OVL_FAILED }
                let item = (start + index * Int(items.pointee.stride)).assumingMemoryBound(
                    to: ovl_upload_item.self)
                let path = "/" + (item.pointee.book.uuid.readMessage() ?? "")
                let memory = Arena()
                var list = memory.list([item.pointee.file]) { file in
                    var push = ovl_push_item.sized()
                    push.file = file
                    push.path = memory.text(path)
                    return push
                }
                let status = Box<ovl_status>()
                let rows = Receiver<ovl_item_result> { status.set($0.status) }
                var sink = ovl_result_sink.sized()
                sink.ctx = rows.context
                sink.put = { Receiver<ovl_item_result>.take($0, $1) }
                let whole = table.push?(table.ctx, OVL_ROOT_DOCUMENTS, &list, 0, &sink, nil) ?? OVL_FAILED
                guard whole == OVL_OK else { return error.fail(whole, "It stopped.") }
                let outcome = status.value == OVL_OK ? OVL_OUTCOME_ADDED : OVL_OUTCOME_FAILED
                results.put(
                    UInt64(index), outcome, status: status.value ?? OVL_FAILED, path: path, message: nil)
            }
            return OVL_OK
        }
    }

    @Test("A folder is reported as such, with what to name instead")
    func folder() throws {
        let folder = try TemporaryFolder()
        let error = hostError { () throws(HostError) in
            _ = try LocalBook.checked(folder.url.path, ["pdf"])
        }
        #expect(error?.code == .inputUnreadable)
        #expect(error?.message == "This is a folder, not a book.")
        #expect(
            error?.hint
                == "Use -r to add all books in it, or give some of them, such as \(folder.url.path)/*.pdf.")
    }

    @Test(
        "Good files are added; missing, empty, foreign and repeated ones get their rows without reaching the overlay"
    )
    func rows() throws {
        let environment = try FakeEnvironment()
        pushing(environment)
        let session = try environment.session()
        defer { session.close() }
        let files = [
            environment.folder.path("missing.epub"), try environment.file("a.epub", "one"),
            try environment.file("b.txt", "two"), try environment.file("c.EPUB", ""),
            try environment.file("d.pdf", "three"), try environment.file("e.epub", "one"),
            environment.folder.path,
            try environment.file("noextension", "four"),
        ]
        let result = session.upload(files)
        #expect(result.failure == nil)
        #expect(result.exitStatus == .someFailed)
        #expect(result.rows.map(\.item) == files)
        #expect(
            result.rows.map(\.status) == [
                .failed, .added, .failed, .failed, .added, .skipped, .failed, .failed,
            ])
        #expect(
            result.rows.map(\.code) == [
                .inputUnreadable, nil, .unsupportedFormat, .unsupportedFormat, nil, nil, .inputUnreadable,
                .unsupportedFormat,
            ])
        #expect(result.rows[5].message?.contains("a.epub") == true)
        #expect(result.rows[2].hint == "Reader accepts: epub, pdf.")
        let path = try #require(result.rows[1].path)
        #expect(environment.device.files[path] == Array("one".utf8))
    }

    @Test("A file under a wrong name is handed over under that of its content, and its row says so")
    func misnamed() throws {
        let environment = try FakeEnvironment()
        var names: [String] = []
        environment.fake.upload = { items, _, results, _ in
            for index in 0..<Int(items.pointee.count) {
                guard let start = items.pointee.items else { return OVL_FAILED }
                let item = (start + index * Int(items.pointee.stride)).assumingMemoryBound(
                    to: ovl_upload_item.self)
                names.append(item.pointee.name.readMessage() ?? "-")
                results.put(
                    UInt64(index), index == 1 ? OVL_OUTCOME_SKIPPED : OVL_OUTCOME_ADDED, path: "/\(index)")
            }
            return OVL_OK
        }
        let session = try environment.session()
        defer { session.close() }
        let epub = try Data(contentsOf: RealBooks.history("ja"))
        func file(_ name: String, _ content: Data) throws -> String {
            try content.write(to: URL(fileURLWithPath: environment.folder.path(name)))
            return environment.folder.path(name)
        }
        let files = [
            try file("a.pdf", epub), try file("b.EPUB", Data("%PDF-1.4".utf8)),
            try file("c.kepub", epub + [0]), try file("d", epub + [0, 0]),
            try file("e.epub", epub + [0, 0, 0]),
        ]
        let rows = session.upload(files).rows
        #expect(names == ["a.epub", "b.pdf", "c.epub", "d", "e.epub"])
        #expect(
            rows[0].message == "The file has the extension .pdf, but it is an EPUB. It was stored as .epub.")
        #expect(rows[1].message == nil)
        #expect(rows[2].message?.contains(".kepub") == true)
        #expect(rows[3].message == nil)
        #expect(rows[4].message == nil)
    }

    @Test("Text after a dot in a title stays, and the extension of the content follows it")
    func dottedTitles() throws {
        let environment = try FakeEnvironment()
        let epub = try Data(contentsOf: RealBooks.history("ja"))
        for name in ["Vol. 1", "Dr. No", "Version 2.0", "Part.1984", "St. Élie", "A.Far Longer Title"] {
            let path = environment.folder.path(name)
            try epub.write(to: URL(fileURLWithPath: path))
            let book = try LocalBook.checked(path, ["epub"])
            #expect(book.name == name + ".epub")
            #expect(
                book.misnamed
                    == "The file has no extension. Because it is an EPUB, it was stored as .epub.")
        }
        #expect(
            ["Vol. 1.EPUB", "a.azw3", "a.7z", "a.audiobook", "Dr. No", "1.5", ".epub", "a.", "a"].map {
                LocalBook.fileExtension(of: $0)
            } == ["epub", "azw3", "7z", "audiobook", "", "", "", "", ""])
    }

    @Test("Other extensions of a format are accepted")
    func otherNames() throws {
        let environment = try FakeEnvironment()
        var mobi = Data(count: 120)
        mobi.replaceSubrange(60..<68, with: Data("BOOKMOBI".utf8))
        mobi[81] = 82
        func name(_ name: String, _ formats: [String]) throws -> String? {
            let path = environment.folder.path(name)
            try mobi.write(to: URL(fileURLWithPath: path))
            let book = try LocalBook.checked(path, formats)
            #expect(book.name == (book.misnamed == nil ? name : "x.mobi"))
            return book.misnamed
        }
        for ending in ["mobi", "prc", "azw", "MOBI"] {
            #expect(try name("x." + ending, ["mobi", "azw3", "azw", "prc"]) == nil)
        }
        #expect(
            try name("x.azw3", ["mobi", "azw3"])
                == "The file has the extension .azw3, but it is a MOBI. It was stored as .mobi.")
        #expect(throws: HostError.self) { try name("x.epub", ["epub", "azw3"]) }
    }

    @Test("The row says so when the overlay does not confirm collections")
    func unkeptCollections() throws {
        let environment = try FakeEnvironment()
        environment.fake.upload = { _, _, results, _ in results.put(0, OVL_OUTCOME_ADDED, path: "/a") }
        func message(_ settable: [String], _ collections: [String]) throws -> String? {
            environment.fake.descriptor.settableMetadata = settable
            let session = try environment.session()
            defer { session.close() }
            let file = try environment.file("a.txt.epub", "\(settable) \(collections)")
            return session.upload([file], UploadRequest(collections: collections)).rows.first?.message
        }
        let silent = try message([], ["X"])
        #expect(silent?.contains("does not say whether it supports collections") == true, "\(silent ?? "-")")
        #expect(try message(["collections"], ["X"])?.contains("collections") != true)
        #expect(try message([], [])?.contains("collections") != true)
    }

    @Test("A damaged book is sent, and its row names what is damaged; a sound one has no such words")
    func damaged() throws {
        let environment = try FakeEnvironment()
        pushing(environment)
        let session = try environment.session()
        defer { session.close() }
        let whole = try Data(contentsOf: RealBooks.history("ja"))
        let half = environment.folder.path("half.epub")
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: half))
        var partial = ZipBuilder()
        let container =
            "<container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles><rootfile "
            + "full-path=\"a.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles></container>"
        partial.entries = [
            .init("mimetype", Data("application/epub+zip".utf8)),
            .init("META-INF/container.xml", Data(container.utf8)),
        ]
        let lacking = environment.folder.path("lacking.epub")
        try partial.data().write(to: URL(fileURLWithPath: lacking))
        let files = [
            half, lacking, try environment.file("garbage.pdf", "no book"),
            try environment.file("page.epub", "<html>x</html>"),
            try RealBooks.history("ja").path,
        ]
        let rows = session.upload(files).rows
        #expect(rows.map(\.status) == Array(repeating: .added, count: 5))
        for row in rows.dropLast() {
            #expect(row.message?.contains("Reader may not be able to open") == true, "\(row.item)")
        }
        #expect(rows[0].message?.contains("The extension is .epub, but") == true, "\(rows[0].message ?? "")")
        #expect(rows[3].message?.contains("the content is a web page") == true)
        #expect(rows[2].message?.contains("not PDF") == true)
        #expect(rows[1].message?.contains("The file is damaged.") == true, "\(rows[1].message ?? "")")
        #expect(rows[4].message == nil)
    }

    @Test("A file that is not of the format of its name is not handed over to replace a given book")
    func replacesNothing() throws {
        let environment = try FakeEnvironment()
        pushing(environment)
        let session = try environment.session()
        defer { session.close() }
        let file = try environment.file("page.epub", "<html>404</html>")
        let book = try LocalBook.checked(file, ["epub"])
        #expect(book.replacementProblem?.code == .unsupportedFormat)
        #expect(book.refusal == nil)
        var description = LibraryDescription(book: Book(), usesSidecar: true)
        description.replacedPath = "/Emma.epub"
        var options = UploadRequest(onConflict: .replace)
        options.descriptions = [description]
        let rows = session.upload([file], options).rows
        #expect(rows.map(\.status) == [.failed])
        #expect(rows.first?.code == .unsupportedFormat)
        #expect(session.upload([file]).rows.map(\.status) == [.added])
    }

    @Test("The second of two files with the same content fails if the first does")
    func twins() throws {
        let environment = try FakeEnvironment()
        environment.fake.upload = { _, _, results, _ in
            results.put(
                0, OVL_OUTCOME_FAILED, status: OVL_DEVICE_IO, path: nil, message: "The cable was loose.")
        }
        let session = try environment.session()
        defer { session.close() }
        let files = [try environment.file("a.epub", "same"), try environment.file("b.epub", "same")]
        let result = session.upload(files)
        #expect(result.rows.map(\.status) == [.failed, .failed])
        #expect(result.rows.map(\.item) == files)
        #expect(result.rows[1].message?.contains("a.epub") == true)
    }

    @Test("The content alone gives a file its content id, a UUID of version 8, in place of a uuid")
    func contentID() throws {
        let environment = try FakeEnvironment()
        func contentID(_ name: String, _ content: String) throws -> String {
            let book = try LocalBook.checked(try environment.file(name, content), [])
            #expect(book.uuid == book.contentID)
            return book.contentID
        }
        // SHA-256 of "abc" is ba7816bf 8f01cfea 414140de 5dae2223 …
        #expect(try contentID("a.epub", "abc") == "ba7816bf-8f01-8fea-8141-40de5dae2223")
        #expect(try contentID("b.pdf", "abc") == "ba7816bf-8f01-8fea-8141-40de5dae2223")
        #expect(try contentID("a.epub", "abd") != contentID("a.epub", "abc"))
    }

    @Test("An item carries uuid, size, format and a name without folders")
    func items() throws {
        let environment = try FakeEnvironment()
        var seen: [String] = []
        var collections: [String]?
        environment.fake.upload = { items, options, results, _ in
            guard let item = items.pointee.items?.assumingMemoryBound(to: ovl_upload_item.self).pointee else {
                return OVL_FAILED
            }
            seen = [
                item.name.readMessage() ?? "-", item.book.uuid.readMessage() ?? "-",
                item.book.format.readMessage() ?? "-",
                "\(item.book.size)", item.book.path.data == nil ? "no path" : "path",
                "\(options.pointee.on_conflict)",
            ]
            do throws(ContractBreach) {
                collections = try options.pointee.collections.read("collections")
            } catch {}
            return results.put(0, OVL_OUTCOME_SKIPPED)
        }
        let session = try environment.session()
        defer { session.close() }
        let file = try environment.file("My Book.epub", "abc")
        _ = session.upload([file], UploadRequest(onConflict: .replace, collections: ["To read", "ä"]))
        #expect(
            seen == [
                "My Book.epub", "ba7816bf-8f01-8fea-8141-40de5dae2223", "application/octet-stream", "3",
                "no path", "2",
            ])
        #expect(collections == ["To read", "ä"])
    }

    @Test(
        "Without an option for conflicts the reader app's switches decide: protect before update before replace",
        arguments: [
            ([:], OVL_CONFLICT_PROTECT),
            (["marvin_protect_rb": false, "marvin_replace_rb": true], OVL_CONFLICT_REPLACE),
            (
                ["marvin_protect_rb": false, "marvin_replace_rb": true, "marvin_update_rb": true],
                OVL_CONFLICT_UPDATE
            ),
            (["marvin_replace_rb": true], OVL_CONFLICT_PROTECT),
            (["marvin_protect_rb": false], OVL_CONFLICT_PROTECT),
        ] as [([String: Bool], UInt32)])
    func conflicts(_ switches: [String: Bool], _ conflict: UInt32) throws {
        let environment = try FakeEnvironment()
        environment.fake.descriptor.appName = "Marvin"
        var seen: UInt32?
        environment.fake.upload = { _, options, results, _ in
            seen = options.pointee.on_conflict
            return results.put(0, OVL_OUTCOME_SKIPPED)
        }
        let session = try environment.session(switches.mapValues { .bool($0) })
        defer { session.close() }
        _ = session.upload([try environment.file("a.epub", "x")])
        #expect(seen == conflict)
    }

    @Test("An upload that does not fit is not begun, and the message has both figures")
    func noSpace() throws {
        let environment = try FakeEnvironment()
        environment.fake.upload = { _, _, _, _ in
            Issue.record("upload_books was called")
            return OVL_OK
        }
        environment.device.files.set(free: 1500)
        let session = try environment.session()
        defer { session.close() }
        let files = [
            try environment.file("a.epub", String(repeating: "a", count: 1000)),
            try environment.file("b.epub", String(repeating: "b", count: 1000)),
        ]
        let result = session.upload(files)
        #expect(result.failure?.code == .noSpace)
        #expect(result.failure?.message.contains("2.0 kB") == true)
        #expect(result.failure?.message.contains("1.5 kB") == true)
        #expect(result.rows.map(\.status) == [.failed, .failed])
    }

    @Test("Books that are on the device already need no room")
    func noSpaceNeeded() throws {
        let environment = try FakeEnvironment()
        environment.fake.books = { _, sink, _ in
            var book = BookRecord(path: "/x")
            book.uuid = "BA7816BF-8F01-8FEA-8141-40DE5DAE2223"
            return sink.put(book)
        }
        environment.fake.upload = { _, _, results, _ in results.put(0, OVL_OUTCOME_SKIPPED) }
        environment.device.files.set(free: 1)
        let session = try environment.session()
        defer { session.close() }
        #expect(session.upload([try environment.file("a.epub", "abc")]).rows.map(\.status) == [.skipped])
    }

    @Test("A cancel in the middle keeps the rows of what is done and says how to go on")
    func cancelled() throws {
        let environment = try FakeEnvironment()
        pushing(environment)
        let session = try environment.session()
        defer { session.close() }
        let files = try (0..<4).map { try environment.file("\($0).epub", "book \($0)") }
        let pushed = Box<Int>()
        environment.device.files.before { [cancellation = environment.cancellation] _ in
            pushed.set((pushed.value ?? 0) + 1)
            if pushed.value == 3 { cancellation.cancel() }
        }
        let result = session.upload(files)
        #expect(result.failure?.code == .cancelled)
        #expect(result.exitStatus == .interrupted)
        #expect(result.rows.map(\.status) == [.added, .added, .failed, .failed])
        #expect(result.rows[2].hint?.contains("Run the same command again") == true)
        #expect(result.rows[3].code == .cancelled)
    }

    @Test("An unplugged cable in the middle keeps the rows of what is done")
    func unplugged() throws {
        let environment = try FakeEnvironment()
        pushing(environment)
        let session = try environment.session()
        defer { session.close() }
        let files = try (0..<3).map { try environment.file("\($0).epub", "book \($0)") }
        let pushed = Box<Int>()
        environment.device.files.before { [device = environment.device] _ in
            pushed.set((pushed.value ?? 0) + 1)
            if pushed.value == 2 { device.unplug() }
        }
        let result = session.upload(files)
        #expect(result.failure?.code == .deviceGone)
        #expect(result.rows.map(\.status) == [.added, .failed, .failed])
        #expect(session.link.connection.state == .yanked)
    }

    @Test("An overlay that breaks the contract in the middle keeps the rows that came before")
    func broken() throws {
        let environment = try FakeEnvironment()
        environment.fake.upload = { _, _, results, _ in
            results.put(1, OVL_OUTCOME_ADDED, path: "/b")
            return results.put(7, OVL_OUTCOME_ADDED, path: "/c")
        }
        let session = try environment.session()
        defer { session.close() }
        let result = session.upload([
            try environment.file("a.epub", "a"), try environment.file("b.epub", "b"),
        ])
        #expect(result.failure?.code == .contractBroken)
        #expect(result.rows.map(\.status) == [.failed, .added])
        #expect(result.rows[0].message == result.failure?.message)
    }

    @Test("An overlay that cannot add books says so for every file")
    func notImplemented() throws {
        let environment = try FakeEnvironment()
        let session = try environment.session()
        defer { session.close() }
        let result = session.upload([try environment.file("a.epub", "a")])
        #expect(result.failure?.code == .notSupported)
        #expect(result.rows.map(\.status) == [.failed])
    }

    @Test(
        "An address and standard input are refused by what upload takes, and a file of such a name is taken",
        arguments: [
            ("https://example.org/book.epub", "overlayhost fetch"), ("HTTP://x", "overlayhost fetch"),
            ("-", "Save the book"),
        ])
    func elsewhere(_ name: String, _ hint: String) throws {
        let environment = try FakeEnvironment()
        let session = try environment.session()
        defer { session.close() }
        let row = try #require(session.upload([name]).rows.first)
        #expect(row.status == .failed && row.code == .inputUnreadable)
        #expect(row.message?.hasPrefix("The command upload ") == true)
        #expect(row.hint?.contains(hint) == true)
    }

    @Test("Bytes and items are reported in one stream and never exceed their totals")
    func progress() throws {
        let environment = try FakeEnvironment()
        pushing(environment)
        let session = try environment.session()
        defer { session.close() }
        _ = session.upload([try environment.file("a.epub", "12345"), try environment.file("b.epub", "678")])
        let updates = environment.progress.updates.filter { $0.phase == "Adding books" }
        #expect(updates.map(\.bytesDone) == [0, 5, 8])
        #expect(updates.allSatisfy { $0.bytesTotal == 8 && $0.itemsTotal == 2 })
    }
}
