import OverlayABI
import OverlayKit

/// An overlay that only lists and sends books, for measuring the cost of the contract.
final class BenchmarkLibrary: Overlay, ListsBooks, ChecksPresence, UploadsBooks, FetchesBooks {
    static let descriptor = OverlayDescriptor(
        id: "benchmark", name: "Benchmark", version: "1.0.0", summary: "Lists made-up books.",
        appName: "Benchmark", appIDs: ["org.overlayhost.benchmark"], formats: ["epub"])

    static let count = 100_000

    /// Made when they are first listed. The benchmark measures only the calls.
    private lazy var short: [Book] = (0..<Self.count).map { index in
        Book(
            path: "\(index)-8a3c-4111-8111-111111111111.epub",
            uuid: "\(index)-8a3c-4111-8111-111111111111",
            title: "The Long and Winding Title of Book \(index)",
            authors: ["Author Number \(index % 997)"],
            size: UInt64(index) * 1000)
    }
    private lazy var full: [Book] = short.map { book in
        var book = book
        book.titleSort = book.title
        book.authorSort = book.authors?.first
        book.series = "A Series"
        book.seriesIndex = 2
        book.publisher = "A Publisher"
        book.pubdate = "2012-01-01"
        book.dateAdded = 1_364_148_473
        book.description = String(repeating: "What the book is about. ", count: 10)
        book.tags = ["One", "Two", "Three"]
        book.collections = ["NEW", "Shelf"]
        book.format = "application/epub+zip"
        return book
    }
    private let host: HostServices

    init(host: HostServices) throws(OverlayError) { self.host = host }

    func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence { Presence(answer: .yes) }

    /// Lists full records if covers are asked for, although the books have none, and otherwise records of five
    /// fields.
    func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        for book in options.withCovers ? full : short { try each(book) }
    }

    /// Copies the files without asking a reader app.
    func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let pushed = items.map { PushItem($0.file, to: "/Documents/\($0.name)") }
        try host.transport.push(.container, pushed, each: report)
    }

    func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        guard path == "/until cancelled" else { return try host.transport.read(.container, path, each: each) }
        while !host.cancellation.isCancelled {}
        try host.cancellation.check()
    }
}

/// The one exported symbol of this library.
@c @implementation
public func ovl_entry_v1() -> UnsafePointer<ovl_entry> { OverlayExport.entry(for: BenchmarkLibrary.self) }
