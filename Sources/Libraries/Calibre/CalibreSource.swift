import BookModel
import Glibc
import HostErrors
import Platform

/// The books of a calibre library, with one format of each.
package enum CalibreSource {
    /// Lists the books that match a search, in the order of their paths. Books without files are omitted, because
    /// calibre only keeps notes about them. Does not open files of books, and does not write in the library.
    ///
    /// - Parameters:
    ///   - formats: the file name extensions that the app supports, in lower case, in order of preference; empty for
    ///     the usual ones.
    ///   - wantsColumns: whether to read the user's custom columns.
    ///   - temporary: the folder for the copy of the database.
    ///   - isKnown: whether the state has a record for a key. A book that is identified by its number, because
    ///     another book had its uuid, keeps that key after the other book is gone.
    /// - Throws: `busy` while another program writes, `damaged`, `inputUnreadable`, `cancelled`.
    package static func list(
        _ root: String, formats: [String], search: LibrarySearch, wantsColumns: Bool, temporary: String,
        attempts: Int = LibraryCopy.attempts, isKnown: (ExactText) -> Bool = { _ in false },
        isCancelled: () -> Bool = { false }
    ) throws(HostError) -> SourceListing {
        let copy = try LibraryCopy(of: root, in: temporary, attempts: attempts, isCancelled: isCancelled)
        let database = try LibraryDatabase(copy, of: root)
        let library = try CalibreLibrary(database, wantsColumns: wantsColumns)
        let formats = formats.isEmpty ? FolderSource.usualFormats : formats
        var listing = SourceListing(entries: [], present: [])
        for entry in library.entries {
            if isCancelled() { throw HostError(.cancelled, "The command was cancelled.") }
            var entry = entry
            let number = ExactText("calibre:\(entry.id)")
            var key = entry.book.uuid.map { ExactText($0) } ?? number
            if key != number && isKnown(number) || !listing.present.insert(key).inserted {
                // Two books with the same uuid would be mistaken for one. The second is identified by its number,
                // title and content.
                entry.book.uuid = nil
                key = number
                // A uuid may look like such a key.
                while !listing.present.insert(key).inserted { key = ExactText(key.text + "+") }
            }
            guard search.fits(entry.id, entry.book), let first = entry.files.first else { continue }
            guard
                let format = formats.first(where: { format in entry.files.contains { $0.format == format } }),
                let file = entry.files.first(where: { $0.format == format })
            else {
                listing.unsupported.append(
                    UnsupportedBook(
                        item: "\(entry.folder)/\(first.name).\(first.format)",
                        formats: entry.files.map(\.format)))
                continue
            }
            listing.entries.append(place(entry, key, root, file))
        }
        listing.entries.sort { ExactText($0.item) < ExactText($1.item) }
        listing.unsupported.sort { ExactText($0.item) < ExactText($1.item) }
        return listing
    }

    private static func place(
        _ entry: CalibreLibrary.Entry, _ key: ExactText, _ root: String,
        _ file: (format: String, name: String)
    ) -> SourceEntry {
        let item = entry.folder + "/" + file.name + "." + file.format
        var placed = SourceEntry(
            key: key.text, item: item, in: root, book: entry.book, columns: entry.columns)
        guard isInside(item), let stamp = inside(root, item) else {
            placed.problem = HostError(
                .inputUnreadable, "The file of this book is missing in the library.", subject: item,
                hint: "Let calibre check the library: Library maintenance, Check library.")
            return placed
        }
        placed.size = stamp.size
        placed.stamp = stamp.text
        let cover = entry.folder + "/cover.jpg"
        if entry.hasCover, let stamp = inside(root, cover) {
            placed.cover = LibraryCover(file: root + "/" + cover, stamp: stamp.text)
        }
        return placed
    }

    /// Whether a path from the database stays in the library, judged by its text.
    private static func isInside(_ path: String) -> Bool {
        !path.utf8.contains(0)
            && path.pathParts.allSatisfy {
                $0 != ".." && $0 != "." && !$0.isEmpty
            }
    }

    /// The stamp of a regular file whose resolved path is inside the library; nil if there is no such file.
    private static func inside(_ root: String, _ path: String) -> SourceStamp? {
        guard isInside(path), let stamp = SourceStamp(path: root + "/" + path),
            let resolved = realpath(root + "/" + path, nil)
        else { return nil }
        defer { free(resolved) }
        let place = String(cString: resolved)
        return place.utf8.starts(with: (root == "/" ? "/" : root + "/").utf8) ? stamp : nil
    }
}
