import BookFolders
import OverlayKitTesting
import OverlayKit
import Testing

/// A shelf on a device in memory.
final class ShelfBench {
    let host = MemoryHost()
    var options = ShelfOptions(appName: "Reader", formats: .publications)
    var edits = ShelfEdits(titleRenamesFile: true, collectionMovesFile: true, keepsAuthors: false)

    init() {
        options.foldersAreCollections = true
        options.clock = { [host] in .nanoseconds(host.waited) }
    }

    func shelf() throws -> BookShelf {
        let services = try host.services()
        return BookShelf(services, try BookPlace.documents(services), options)
    }

    func books(covers: Bool = false) throws -> [Book] {
        var books: [Book] = []
        try shelf().books(BooksOptions(withCovers: covers)) { books.append($0) }
        return books
    }

    /// Runs a method with one row per item. Returns the rows in the order of the items, and the method's error.
    func rows(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
        _ method: (BookShelf, (ItemResult) throws(OverlayError) -> Void) throws(OverlayError) -> Void
    ) throws -> (rows: [ItemResult], error: OverlayError?) {
        var rows: [ItemResult] = []
        var failure: OverlayError?
        let shelf = try shelf()
        do throws(OverlayError) { try method(shelf) { rows.append($0) } } catch { failure = error }
        rows.sort { $0.index < $1.index }
        #expect(rows.map(\.index) == Array(0..<count), sourceLocation: sourceLocation)
        return (rows, failure)
    }

    func upload(
        _ items: [UploadItem], _ wanted: UploadOptions = UploadOptions(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (rows: [ItemResult], error: OverlayError?) {
        try rows(items.count, sourceLocation: sourceLocation) { shelf, report throws(OverlayError) in
            try shelf.upload(items, wanted, report: report)
        }
    }

    func delete(
        _ paths: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (rows: [ItemResult], error: OverlayError?) {
        try rows(paths.count, sourceLocation: sourceLocation) { shelf, report throws(OverlayError) in
            try shelf.delete(paths, report: report)
        }
    }

    /// Lists the books, has `change` edit them, and syncs. Returns the rows of differing books.
    func sync(_ change: (inout [Book]) -> Void) throws -> [ItemResult] {
        var books = try books()
        change(&books)
        return try sync(books)
    }

    /// Syncs these books alone. Returns the rows of differing books.
    func sync(_ books: [Book]) throws -> [ItemResult] {
        var rows: [ItemResult] = []
        try shelf().sync(books, edits) { rows.append($0) }
        return rows
    }

    /// Syncs the book at a path with another title.
    func retitle(_ path: String, _ title: String) throws -> [ItemResult] {
        var book = try #require(try books().first { $0.path == path })
        book.title = title
        host.operations = []
        return try sync([book])
    }
}

/// Content of a given size with three ranges.
func bookText(_ title: String?, _ authors: [String] = [], cover: String? = nil, filler: String = "x")
    -> String
{
    var text = title.map { "Title: \($0)\n" } ?? ""
    for author in authors { text += "Author: \(author)\n" }
    if let cover { text += "Cover: \(cover)\n" }
    return text + "\n" + String(repeating: filler, count: 20_000)
}
