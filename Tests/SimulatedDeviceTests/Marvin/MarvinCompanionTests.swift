import MarvinCommands
import Foundation
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("The simulated Marvin answers the companion's commands")
struct MarvinCompanionTests {
    private let first = bookName(1)

    private func bench(place: MarvinContainer.Place = .library) throws -> MarvinBench {
        try MarvinBench(place: place) { container in
            let book = try RealBooks.history("en")
            let copy = container.temporary.appendingPathComponent(bookName(1))
            try FileManager.default.createDirectory(
                at: container.temporary, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: book, to: copy)
            try MarvinLibrary(container).populate(books: [copy])
        }
    }

    private func send(
        _ bench: MarvinBench, _ kind: AppCommand.Kind, _ content: AppCommand.Content = .parameters([])
    ) -> CommandOutcome {
        bench.send(.app(AppCommand(kind, timestamp: MarvinBench.timestamp, content)))
    }

    private var books: AppCommand.Content { .books([BookIdentity(fileName: first)]) }

    @Test("Books are locked and unlocked")
    func locks() throws {
        let bench = try bench()
        #expect(send(bench, .lockBooks, books).ending == .completed)
        #expect(try bench.value("Pin", of: first) == .integer(1))
        #expect(send(bench, .unlockBooks, books).ending == .completed)
        #expect(try bench.value("Pin", of: first) == .integer(0))
        let unknown = send(bench, .lockBooks, .books([BookIdentity(fileName: "no.epub")]))
        #expect(unknown.rejections.map(\.fileName) == ["no.epub"])
        #expect(try bench.leftovers().isEmpty)
    }

    @Test("Deep View is prepared book by book, and stops when the host asks")
    func deepView() throws {
        let bench = try bench()
        #expect(send(bench, .generateDeepView, books).ending == .completed)
        #expect(try bench.value("DeepViewPrepared", of: first) == .integer(1))
        bench.app.update { $0.timePerBook = .seconds(3600) }
        bench.afterLook = { bench, reply in
            if case .contents = reply { bench.isCancelled = true }
        }
        let stopped = send(bench, .generateDeepView, books)
        #expect(stopped.ending == .cancelled)
        #expect(stopped.status?.code == .cancelled)
        #expect(try bench.leftovers().isEmpty)
    }

    @Test("A collection is renamed, joined with another and deleted everywhere")
    func collections() throws {
        let bench = try bench()
        func change(_ parameters: (String, String)...) -> CommandOutcome {
            send(
                bench, .updateGlobalCollections,
                .parameters(parameters.map { AppCommand.Parameter($0.0, $0.1) }))
        }
        let old = try #require(try bench.collections(of: first).first)
        #expect(change(("action", "rename"), ("name", old), ("newname", "New & old")).ending == .completed)
        #expect(try bench.collections(of: first) == ["New & old"])
        #expect(change(("action", "delete"), ("name", "New & old")).ending == .completed)
        #expect(try bench.collections(of: first).isEmpty)
        #expect(change(("action", "delete"), ("name", "no such")).rejections.count == 1)
    }

    @Test(
        "Pages are left in the staging folder",
        arguments: [
            AppCommand.Kind.deepViewArticles, .localVocabulary, .firstOccurrence, .globalVocabulary,
        ])
    func pages(kind: AppCommand.Kind) throws {
        let bench = try bench()
        let id = try #require(try bench.value("ID", of: first)?.integer)
        let outcome = send(
            bench, kind,
            .parameters([
                .init("filename", first), .init("bookID", "\(id)"), .init("entityID", "4"),
                .init("hits", "2"),
            ]))
        #expect(outcome.ending == .completed)
        let page = try String(contentsOf: bench.staged("html_response.html"), encoding: .utf8)
        #expect(page.contains("<title>\(kind.rawValue)</title>"))
    }

    @Test("A backup is a file among the documents, and its manifest names each book")
    func backup() throws {
        let bench = try bench()
        #expect(send(bench, .backup).ending == .completed)
        let file = bench.container.documents.appendingPathComponent("Backup/marvin.backup")
        #expect(try Data(contentsOf: file).starts(with: Array("SQLite format 3".utf8)))
        #expect(send(bench, .backup).ending == .completed)
        #expect(send(bench, .backupManifest).ending == .completed)
        #expect(try String(contentsOf: bench.staged("backup.xml"), encoding: .utf8).contains(first))
    }

    @Test("A partial update leaves alone what it does not name")
    func partialUpdate() throws {
        let bench = try bench()
        let title = try bench.value("Title", of: first)
        var book = UpdateItems.Book(BookIdentity(fileName: first))
        book.rating = 4
        book.wordCount = 77
        let command = UpdateItems(timestamp: MarvinBench.timestamp, books: [book])
        let collections = try bench.collections(of: first)
        #expect(bench.send(.updateItems(command)).ending == .completed)
        #expect(try bench.value("Rating", of: first)?.text == "4.0")
        #expect(try bench.value("WordCount", of: first) == .integer(77))
        #expect(try bench.value("Title", of: first) == title)
        #expect(try bench.collections(of: first) == collections)
    }

    @Test("An unknown command is a warning, and has no effect")
    func unknown() throws {
        let bench = try bench()
        let outcome = send(bench, AppCommand.Kind(rawValue: "Dance"))
        #expect(outcome.ending == .completedWithWarnings)
        #expect(outcome.rejections.first?.reason.contains("Dance") == true)
    }

    @Test("An app that keeps everything below its documents does the same there")
    func inDocuments() throws {
        let bench = try bench(place: .documents)
        #expect(bench.container.staging.path.hasSuffix("/Documents/calibre"))
        #expect(send(bench, .lockBooks, books).ending == .completed)
        #expect(try bench.value("Pin", of: first) == .integer(1))
    }

    @Test("EPUBs that were dropped among the documents are taken in at the next start, and nothing else")
    func adoption() throws {
        let bench = try bench()
        let file = try RealBooks.history("fr")
        try FileManager.default.copyItem(at: file, to: bench.document("dropped.epub"))
        try Data("no book".utf8).write(to: bench.document("broken.epub"))
        #expect(try bench.query("SELECT 1 FROM Books").count == 1)
        bench.app.stop()
        bench.app.update { $0.adoptsDocuments = true }
        try bench.app.start()
        #expect(try bench.value("NewFlag", of: "dropped.epub") == .integer(1))
        #expect(try bench.value("Title", of: "dropped.epub")?.text?.contains("Debian") == true)
        #expect(try bench.query("SELECT 1 FROM Books").count == 2)
        #expect(bench.app.troubles.isEmpty)
    }
}
