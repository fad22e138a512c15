import OverlayKit

/// The overlay for Satchel, an invented reader app that keeps its books as plain files in its shared folder.
///
/// All methods run on one thread, one at a time. The host calls a method only if the class conforms to its protocol;
/// OverlayKit's folder `Capabilities` has all protocols.
public final class SatchelOverlay: Overlay {
    /// Describes the overlay.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "satchel", name: "Satchel", version: "0.1.0",
            summary: "Lists, fetches, adds and deletes the books of Satchel.",
            appName: "Satchel", appIDs: ["org.example.satchel"], formats: ["epub", "pdf"],
            traits: [.canFetch])
    }

    let host: HostServices

    /// Makes an instance. Only the log and the preferences of the host may be used here.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    private static let shelf = "/Documents"
    private static let mediaTypes = [".epub": "application/epub+zip", ".pdf": "application/pdf"]

    /// The extension of a book's file name; nil if the file is not a book.
    private static func ending(of name: String) -> String? {
        mediaTypes.keys.first { name.count > $0.count && name.hasSuffix($0) }
    }

    /// The path of a new book: its title, without characters that are special in paths, and the extension of the
    /// host's file.
    private static func path(of book: Book, ending: String) -> String {
        let title = book.title.flatMap { $0.isEmpty ? nil : $0 } ?? book.uuid ?? "Untitled"
        var name = String(title.map { $0 < " " || "/:\\".contains($0) ? "-" : $0 })
        while name.utf8.count > 200 { name.removeLast() }
        if name.hasPrefix(".") { name = "-" + name.dropFirst() }
        return "\(shelf)/\(name)\(ending)"
    }
}

extension SatchelOverlay: ListsBooks, FetchesBooks {
    /// Lists every file with the extension of a book.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        for file in try host.transport.list(.documents, Self.shelf, withInfo: true)
        where file.kind == .regular {
            guard let ending = Self.ending(of: file.name) else { continue }
            try each(
                Book(
                    path: "\(Self.shelf)/\(file.name)", title: String(file.name.dropLast(ending.count)),
                    size: file.size, format: Self.mediaTypes[ending]))
        }
    }

    /// Sends the bytes of a book. The path is one that `books` reported.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        try host.transport.read(.documents, path, each: each)
    }
}

extension SatchelOverlay: UploadsBooks, DeletesBooks {
    /// Copies each book into the folder, unless a book with its title exists and must be kept.
    public func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try eachItem(items, report: report) { (index, item) throws(OverlayError) in
            guard let ending = Self.ending(of: item.name) else {
                throw OverlayError(.unsupportedFormat, "Satchel reads EPUB and PDF only.")
            }
            let path = Self.path(of: item.book, ending: ending)
            let isThere = try exists(path)
            if isThere, options.onConflict != .replace {
                return .done(index, .skipped, path: path, message: "A book with this title already exists.")
            }
            // The host copies to a temporary name, verifies, and renames, so an older file stays until the new one is
            // complete.
            let pushed = try host.transport.push(.documents, [PushItem(item.file, to: path)])
            guard var row = pushed.first else { throw OverlayError(.failed, "The host did not answer.") }
            row.index = index
            if row.status == .ok { row.outcome = isThere ? .replaced : .added }
            row.path = row.status == .ok ? path : nil
            return row
        }
    }

    /// Deletes books.
    public func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try eachItem(paths, report: report) { (index, path) throws(OverlayError) in
            try host.transport.remove(.documents, path)
            return .done(index, .deleted)
        }
    }

    private func exists(_ path: String) throws(OverlayError) -> Bool {
        switch try host.transport.stat(.documents, [path]).first {
        case .success: return true
        case .failure(let error) where error.status != .notFound: throw error
        default: return false
        }
    }

    /// Processes each item and reports one row for it, even if it fails.
    private func eachItem<Item>(
        _ items: [Item], report: (ItemResult) throws(OverlayError) -> Void,
        _ body: (Int, Item) throws(OverlayError) -> ItemResult
    ) throws(OverlayError) {
        var end: OverlayError?
        for (index, item) in items.enumerated() {
            let row: ItemResult
            do throws(OverlayError) {
                row = try body(index, item)
            } catch {
                row = .failed(index, error)
                // These errors end the whole method, not just one item.
                if [.cancelled, .timedOut, .deviceGone].contains(error.status) { end = error }
            }
            try report(row)
        }
        if let end { throw end }
    }
}
