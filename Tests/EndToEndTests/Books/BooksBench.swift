import Foundation
import SimulatedDevice
import TestSupport

/// A simulated iPad with a library of Books in its media folder, and the program connected to it.
final class BooksBench: Sendable {
    /// The relevant versions of iOS: with an open container, with a closed one, and a current one.
    static let versions = ["8.1", "9.3.5", "17.0"]

    let bench: ReaderBench
    let books: SimulatedBooks

    /// - Parameters:
    ///   - listed: whether iOS lists Books among the apps.
    ///   - populated: whether the library holds the usual books.
    init(
        ios: String = "17.0", listed: Bool = true, populated: Bool = true,
        binary: Set<SimulatedBook.List> = [.purchases],
        _ change: (inout SimulatedDeviceSettings) -> Void = { _ in }
    ) throws {
        bench = try ReaderBench(marvin: false) {
            $0.iosVersion = ios
            if listed { $0.apps = [SimulatedBooks.app()] }
            change(&$0)
        }
        books = SimulatedBooks(bench.device)
        if populated { try books.populate(try Self.library(), binary: binary) }
    }

    /// The library: an unpacked book in two lists, a packed one, a document, a protected purchase, a book without a
    /// file, and a file that no list names.
    static func library() throws -> [SimulatedBook] {
        var unpacked = SimulatedBook(
            path: "376FAA7E4CF81729.epub", title: "The History of Debian", artist: "The Debian Project",
            persistentID: "376FAA7E4CF81729")
        unpacked.files = try SimulatedBooks.unpacked(RealBooks.history("en"))
        unpacked.files["iTunesMetadata.plist"] = Array("<plist/>".utf8)
        unpacked.packageHash = "018FAD7D0C8E0A9B6B0AB9058D59880D"
        unpacked.cover = (cover, .artwork)
        unpacked.lists = [.sync, .synchronised]
        unpacked.otherKeys = ["Known Only To Books": "kept"]
        var packed = SimulatedBook(path: "Guide.epub", persistentID: "AAAABBBBCCCCDDDD")
        packed.file = try Array(Data(contentsOf: RealBooks.developersReference()))
        var document = SimulatedBook(
            path: "Paper.pdf", title: "Paper.pdf", artist: "A. Author & B. Author",
            persistentID: "6C60A4726577FBC9")
        document.file = SimulatedPDF(title: "Not this title", author: "Nobody", pages: 3).bytes()
        document.lists = [.purchases]
        var bought = SimulatedBook(path: "Bought.epub", persistentID: "1234567812345678")
        bought.files = try SimulatedBooks.unpacked(RealBooks.history("de"))
        bought.files["META-INF/sinf.xml"] = Array("<sinf/>".utf8)
        bought.lists = [.purchases]
        var promised = SimulatedBook(
            path: "Cloud.epub", title: "In the Cloud", persistentID: "C10DC10DC10DC10D")
        promised.lists = [.purchases]
        var stray = SimulatedBook(path: "Stray.epub")
        stray.file = try Array(Data(contentsOf: RealBooks.history("fr")))
        stray.lists = []
        return [unpacked, packed, document, bought, promised, stray]
    }

    /// A small JPEG.
    static let cover: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 400) + [0xFF, 0xD9]

    /// Runs the program for Books.
    func json(_ arguments: String...) throws -> Document {
        try bench.json(arguments + ["--app", "iBooks"])
    }

    /// Allows adding and deleting.
    func allowWriting() throws {
        _ = try bench.run("prefs", "set", "ibooks_write", "true")
    }

    /// A file of the library as bytes; nil without it.
    func bytes(_ path: String) -> Data? {
        FileManager.default.contents(atPath: books.folder.appendingPathComponent(path).path)
    }

    /// Names of files in a folder of the library.
    func names(_ folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: books.folder.appendingPathComponent(folder).path
        ).sorted()
    }

    /// The row of one book in a listing.
    static func row(_ path: String, in document: Document) -> [String: Any] {
        document.rows("books").first { $0["path"] as? String == path } ?? [:]
    }
}
