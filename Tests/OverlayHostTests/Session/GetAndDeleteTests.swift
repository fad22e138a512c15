import DeviceTransport
import Foundation
import OverlayABI
import OverlayBridge
import Platform
import Testing
import TestSupport

@testable import OverlayServices
@testable import OverlayHost

@Suite(
    "Fetching overwrites nothing and stays in the folder, and deleting has a row for each name"
)
struct GetAndDeleteTests {
    /// An environment whose overlay lists these books and fetches them with pull.
    private func environment(_ books: [BookRecord], withPrepare: Bool = true) throws -> FakeEnvironment {
        let environment = try FakeEnvironment()
        environment.fake.books = { _, sink, _ in
            for book in books where sink.put(book) != OVL_OK { return OVL_STOPPED }
            return OVL_OK
        }
        environment.fake.getFile = { [files = environment.device.files] path, sink, error in
            guard let bytes = files[path.pointee.readMessage() ?? ""] else {
                return error.fail(OVL_NOT_FOUND, "Gone.")
            }
            return bytes.lend {
                sink.pointee.put?(sink.pointee.ctx, $0, 0, UInt64(bytes.count)) ?? OVL_FAILED
            }
        }
        guard withPrepare else { return environment }
        environment.fake.prepare = { [fake = environment.fake] paths, results, error in
            let table = fake.transport
            let rows = Receiver<ovl_item_result> { row in
                let failed = row.status != OVL_OK
                results.put(
                    row.index, failed ? OVL_OUTCOME_FAILED : OVL_OUTCOME_FETCHED, status: row.status,
                    file: row.file)
            }
            var sink = ovl_result_sink.sized()
            sink.ctx = rows.context
            sink.put = { Receiver<ovl_item_result>.take($0, $1) }
            let status = table.pull?(table.ctx, OVL_ROOT_DOCUMENTS, paths, &sink, nil) ?? OVL_FAILED
            return status == OVL_OK ? status : error.fail(status, "It stopped.")
        }
        return environment
    }

    private func book(
        _ path: String, _ title: String?, size: UInt64? = nil, format: String? = "application/epub+zip"
    )
        -> BookRecord
    {
        var book = BookRecord(path: path)
        book.title = title
        book.format = format
        book.size = size
        return book
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("Two paths that look alike but have other bytes are two books, each with its own row")
    func lookAlikes() throws {
        let paths = ["/caf\u{E9}.epub", "/cafe\u{301}.epub"]
        let environment = try environment(paths.map { book($0, nil) })
        var deleted: [[UInt8]] = []
        environment.fake.delete = { paths, results, _ in
            for index in 0..<paths.pointee.count {
                guard let text = paths.pointee.items?[Int(index)].readMessage() else { return OVL_FAILED }
                deleted.append(Array(text.utf8))
                // The second one stays.
                if index == 0 {
                    results.put(index, OVL_OUTCOME_DELETED)
                } else {
                    results.put(index, OVL_OUTCOME_FAILED, status: OVL_REJECTED, message: "No.")
                }
            }
            return OVL_OK
        }
        let session = try environment.session()
        defer { session.close() }
        let result = session.delete([paths[1], paths[0], paths[1]])
        #expect(deleted == [paths[1], paths[0]].map { Array($0.utf8) })
        #expect(result.rows.map(\.status) == [.deleted, .failed, .skipped])
    }

    @Test("A deletion that finds no book still lets the overlay finish what was interrupted")
    func nothingToDelete() throws {
        let environment = try environment([])
        var counts: [UInt64] = []
        environment.fake.delete = { paths, _, error in
            counts.append(UInt64(paths.pointee.count))
            // A busy app does not change the answer.
            return counts.count == 2 ? error.fail(OVL_BUSY, "Busy.") : OVL_OK
        }
        let session = try environment.session()
        defer { session.close() }
        for _ in 0..<2 {
            let result = session.delete(["Gone"])
            #expect(result.failure == nil)
            #expect(result.rows.map(\.code) == [.notFound])
        }
        #expect(counts == [0, 0])
    }

    @Test("Books get their titles as names, whichever method fetches them", arguments: [true, false])
    func fetched(_ withPrepare: Bool) throws {
        let environment = try environment(
            [book("/1.epub", "One", size: 3), book("/2.epub", "Two", size: 1)], withPrepare: withPrepare)
        environment.device.files["/1.epub"] = [1, 2, 3]
        environment.device.files["/2.epub"] = [9]
        let session = try environment.session()
        defer { session.close() }
        let folder = environment.folder.path("new/deep")
        let result = session.get(["Two", "nothing", "/1.epub", "two"], to: folder)
        #expect(result.failure == nil)
        #expect(result.rows.map(\.status) == [.fetched, .failed, .fetched, .fetched])
        #expect(
            result.rows.map(\.path) == [
                folder + "/Two.epub", nil, folder + "/One.epub", folder + "/Two.epub",
            ])
        #expect(result.rows[1].code == .notFound)
        #expect(readFile(folder + "/One.epub") == [1, 2, 3])
        #expect(try names(in: folder) == ["One.epub", "Two.epub"])
    }

    @Test("An existing file stays: the same content is used, other content gets a number")
    func existing() throws {
        let environment = try environment([book("/1.epub", "One"), book("/2.epub", "One")])
        environment.device.files["/1.epub"] = [1]
        environment.device.files["/2.epub"] = [2]
        let session = try environment.session()
        defer { session.close() }
        let folder = environment.folder.path("out")
        #expect(
            session.get(["/1.epub", "/2.epub"], to: folder).rows.map(\.path) == [
                folder + "/One.epub", folder + "/One (2).epub",
            ])
        let again = session.get(["/1.epub", "/2.epub"], to: folder)
        #expect(again.rows.map(\.path) == [folder + "/One.epub", folder + "/One (2).epub"])
        #expect(again.rows[0].message == "The same file already exists.")
        #expect(writeFile(folder + "/One.epub", [7]))
        let third = session.get(["/1.epub"], to: folder)
        #expect(third.rows[0].path == folder + "/One (3).epub")
        #expect(third.rows[0].message?.contains("One.epub") == true)
        #expect(readFile(folder + "/One.epub") == [7])
        #expect(try names(in: folder) == ["One (2).epub", "One (3).epub", "One.epub"])
    }

    @Test(
        "No title leads out of the folder, hides a file, or deceives a terminal",
        arguments: [
            ("../../etc/passwd", "_.._etc_passwd.epub"), ("/etc/passwd", "_etc_passwd.epub"),
            (".hidden", "hidden.epub"),
            ("..", "1.epub"), ("", "1.epub"), ("a\u{0}b\u{1B}[31mc", "ab[31mc.epub"),
            ("CON: a*b?\"c\"<d>|e\\f", "CON_ a_b__c__d__e_f.epub"),
            ("evil\u{202E}gpj.exe", "evilgpj.exe.epub"),
            ("two\nlines\tand  space", "two lines and space.epub"),
            ("A, B's 2 C", "A, B's 2 C.epub"), ("It's  two", "It's two.epub"), (" Emma ", "Emma.epub"),
            ("-rf", "rf.epub"), ("trailing. . ", "trailing.epub"), ("日本語のタイトル", "日本語のタイトル.epub"),
        ])
    func names(_ title: String, _ name: String) {
        #expect(FileName(book("/Documents/1.epub", title)).text() == name)
    }

    @Test("A long title is cut between characters and leaves room for number and extension")
    func longNames() {
        let name = FileName(book("/1.epub", String(repeating: "ÿ👩‍👩‍👧", count: 100)))
        #expect(name.text(9999).utf8.count <= 255)
        #expect(name.stem.last == "ÿ" || name.stem.hasSuffix("👩‍👩‍👧"))
        #expect(FileName(book("/1.epub", String(repeating: "a", count: 201))).stem.utf8.count == 200)
    }

    @Test(
        "The extension comes from the format, else from the path if it is a plain one",
        arguments: [
            ("application/pdf", "/1.epub", "T.pdf"), (nil, "/1.mobi", "T.mobi"), (nil, "/1", "T"),
            ("text/unknown", "/1.ep$b", "T"), (nil, "/1.waytoolongextension", "T"),
            ("application/epub+zip; x=1", "/1", "T.epub"),
            ("application/vnd.amazon.ebook", "/1.azw", "T.azw"),
            ("application/vnd.amazon.ebook", "/1", "T.azw3"),
            ("application/x-mobipocket-ebook", "/1.prc", "T.prc"), ("text/html", "/1.htm", "T.htm"),
        ] as [(String?, String, String)])
    func endings(_ format: String?, _ path: String, _ name: String) {
        #expect(FileName(book(path, "T", format: format)).text() == name)
    }

    @Test("A file that the overlay makes while it is sent may have another size than the book on the device")
    func madeOnTheWay() throws {
        let environment = try environment([book("/1.epub", "One", size: 10)], withPrepare: false)
        environment.fake.getFile = { _, sink, _ in
            ([1, 2, 3] as [UInt8]).lend {
                sink.pointee.put?(sink.pointee.ctx, $0, 0, OVL_UNKNOWN) ?? OVL_FAILED
            }
        }
        let session = try environment.session()
        defer { session.close() }
        let folder = environment.folder.path("out")
        #expect(session.get(["One"], to: folder).rows[0].status == .fetched)
        #expect(FileManager.default.contents(atPath: folder + "/One.epub") == Data([1, 2, 3]))
    }

    @Test("A book with a size is not fetched without any bytes")
    func withoutBytes() throws {
        let environment = try environment([book("/1.epub", "One", size: 10)], withPrepare: false)
        environment.fake.getFile = { _, _, _ in OVL_OK }
        let session = try environment.session()
        defer { session.close() }
        let folder = environment.folder.path("out")
        #expect(session.get(["One"], to: folder).rows[0].code == .verificationFailed)
        #expect(try names(in: folder).isEmpty)
    }

    @Test("Missing bytes are reported, and no short file is left")
    func shortFile() throws {
        let environment = try environment([book("/1.epub", "One", size: 10)], withPrepare: false)
        environment.device.files["/1.epub"] = [1, 2, 3]
        let session = try environment.session()
        defer { session.close() }
        let folder = environment.folder.path("out")
        let result = session.get(["One"], to: folder)
        #expect(result.rows[0].code == .verificationFailed)
        #expect(try names(in: folder).isEmpty)
    }

    @Test("A cancel in the middle keeps what has been fetched, and leaves no private folder")
    func cancelledGet() throws {
        let environment = try environment([book("/1.epub", "One"), book("/2.epub", "Two")])
        environment.device.files["/1.epub"] = [1]
        environment.device.files["/2.epub"] = [2]
        environment.device.files.before { [cancellation = environment.cancellation] index in
            if index == 1 { cancellation.cancel() }
        }
        let session = try environment.session()
        defer { session.close() }
        let folder = environment.folder.path("out")
        let result = session.get(["One", "Two"], to: folder)
        #expect(result.failure?.code == .cancelled)
        #expect(result.rows.map(\.status) == [.fetched, .failed])
        #expect(try names(in: folder) == ["One.epub"])
    }

    @Test("A folder that cannot be made is reported for every book")
    func noFolder() throws {
        let environment = try environment([book("/1.epub", "One")])
        let session = try environment.session()
        defer { session.close() }
        let file = try environment.file("file", "x")
        for folder in [file, file + "/below"] {
            let result = session.get(["One"], to: folder)
            #expect(result.failure?.code == .outputNotCreated)
            #expect(result.failure?.exitStatus == .cannotCreate)
            #expect(result.rows.map(\.status) == [.failed])
        }
    }

    @Test("What a deletion would lose is known before")
    func losses() throws {
        var (one, two) = (book("/1.epub", "One"), book("/2.epub", "Two"))
        let three = book("/3.epub", "Three")
        one.annotations = [Annotation(kind: "note", note: "A")]
        two.annotations = [Annotation(kind: "bookmark"), Annotation(kind: "highlight", text: "B")]
        let environment = try environment([one, two, three])
        let session = try environment.session()
        defer { session.close() }
        let rows = session.delete(["One", "Two", "Three"], isDryRun: true).rows
        #expect(
            rows.map(\.message) == [
                "It has a highlight, note or bookmark.", "It has 2 highlights, notes or bookmarks.", nil,
            ])
        environment.fake.books = { options, _, error in
            options.pointee.flags & OVL_BOOKS_WITH_ANNOTATIONS == 0
                ? OVL_OK : error.fail(OVL_NO_SPACE, "There is no room for a copy of the library.")
        }
        #expect(
            try session.lossesOfDeletion([three])
                == [ExactText("/3.epub"): "It may have highlights, notes or bookmarks, which cannot be read."]
        )
        environment.fake.books = { _, _, error in error.fail(OVL_DEVICE_GONE, "The device is gone.") }
        #expect(throws: HostError.self) { try session.lossesOfDeletion([three]) }
    }

    @Test("Deleting gives each name its row, a name said twice included, and asks the overlay once per book")
    func deleted() throws {
        let environment = try environment([book("/1.epub", "One"), book("/2.epub", "Two")])
        var asked: [String] = []
        environment.fake.delete = { paths, results, _ in
            do throws(ContractBreach) { asked = try paths.pointee.read("paths") ?? [] } catch {
                return OVL_FAILED
            }
            results.put(1, OVL_OUTCOME_FAILED, status: OVL_REJECTED, message: "It is locked.")
            return results.put(0, OVL_OUTCOME_DELETED)
        }
        let session = try environment.session()
        defer { session.close() }
        let result = session.delete(["Two", "none", "/1.epub", "/2.epub"])
        #expect(asked == ["/2.epub", "/1.epub"])
        #expect(result.rows.map(\.item) == ["Two", "none", "/1.epub", "/2.epub"])
        #expect(result.rows.map(\.status) == [.deleted, .failed, .failed, .skipped])
        #expect(result.rows.map(\.path) == ["/2.epub", nil, "/1.epub", "/2.epub"])
        #expect(result.rows[3].message == "It is the same book as 'Two'.")
        #expect(result.rows[2].message == "It is locked.")
        #expect(result.exitStatus == .someFailed)
        // A failed item is reported under all its names.
        let refused = session.delete(["Two", "One", "/1.epub"])
        #expect(refused.rows.map(\.status) == [.deleted, .failed, .failed])
    }

    @Test("Names without a book delete nothing")
    func nothingDeleted() throws {
        let environment = try environment([book("/1.epub", "One")])
        environment.fake.delete = { paths, _, _ in
            #expect(paths.pointee.count == 0)
            return OVL_OK
        }
        let session = try environment.session()
        defer { session.close() }
        #expect(session.delete(["Two"]).rows.map(\.code) == [.notFound])
    }

    @Test("A deletion that ends early says of each book whether it is known to be gone")
    func deletionEndsEarly() throws {
        let environment = try environment([book("/1.epub", "One"), book("/2.epub", "Two")])
        environment.fake.delete = { _, results, error in
            results.put(0, OVL_OUTCOME_DELETED)
            return error.fail(OVL_TIMED_OUT, "Reader does not answer.")
        }
        let session = try environment.session()
        defer { session.close() }
        let result = session.delete(["One", "Two"])
        #expect(result.failure?.code == .timedOut)
        #expect(result.exitStatus == .tryAgain)
        #expect(result.rows.map(\.status) == [.deleted, .failed])
        #expect(result.rows[1].hint?.isEmpty == false)
    }
}
