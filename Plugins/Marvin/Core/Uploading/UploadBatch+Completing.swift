import Diagnostics
import Claims
import BookFolders
import MarvinCommands
import OverlayKit

/// Marvin reads only files, so a new or replaced book begins with its file's metadata. Afterwards Marvin is sent what
/// the file does not contain: the host's metadata, for example from a calibre library, and the values that the user
/// entered for the replaced book.
extension UploadBatch {
    /// Sends Marvin the values that are not in the files of its new books.
    ///
    /// The books are in the library even if this fails.
    ///
    /// - Parameters:
    ///   - paths: the present path of each book; nil if it is not there.
    ///   - library: Marvin's present books; nil if they were not read because the method is ending.
    /// - Returns: messages about the values that Marvin does not have, for the rows, by item.
    func tellWhatFilesDoNot(
        _ books: [LibraryUpload], _ paths: [String?], _ library: [[UInt8]: LibraryBook]?
    ) -> [Int: String] {
        let arrived = zip(books, paths).compactMap { book, path in
            path.flatMap { book.isMoreThanItsFile ? (book: book, path: $0) : nil }
        }
        guard !arrived.isEmpty else { return [:] }
        guard let library else {
            let reason = device.interruption()?.message ?? "It was not checked."
            return Dictionary(
                uniqueKeysWithValues: arrived.map { ($0.book.index, Self.lost($0.book.kept, reason)) })
        }
        var rows = ItemRows(count: count)
        var changes: [BookChange] = []
        var notes: [Int: String] = [:]
        for (book, path) in arrived {
            guard let now = library[path.bytes] else { continue }
            let kept = book.kept
            let cut = kept.filter { book.present?.cut.contains($0) ?? false }
            if !cut.isEmpty { notes[book.index] = Self.lost(cut, "It could not be read completely.") }
            let old = book.present?.kept(kept.subtracting(cut)) ?? Book()
            do throws(OverlayError) {
                let wanted = old.overlaid(with: book.untold)
                let change = try BookChange(book.index, now, wanted: wanted) { _ in false }
                if !change.fields.isEmpty { changes.append(change) }
            } catch {
                notes[book.index] = Self.lost(kept, error.message)
            }
        }
        guard !changes.isEmpty else { return notes }
        do throws(OverlayError) {
            let run = ChangeRun(
                device: device, claim: claim, batchSize: changes.count, first: first, count: count)
            try run.run(changes, &rows)
        } catch {
            device.host.log.debug("marvin", "See the results of the books: \(error.message)")
        }
        for change in changes {
            guard let reason = rows.failure(of: change.index) else { continue }
            notes[change.index] = Self.lost(change.fields, reason)
        }
        return notes
    }

    private static func lost(_ fields: Set<MetadataField>, _ reason: String) -> String {
        let names = MetadataField.allCases.filter(fields.contains).map(\.phrase).joined(separator: ", ")
        return names.isEmpty
            ? "The book's additional metadata was not set in Marvin. \(reason)"
            : "These fields were not set in Marvin: \(names). \(reason)"
    }
}

/// Deletes books that new ones replace under other names.
extension UploadBatch {
    /// Deletes books that have been replaced completely.
    ///
    /// A failure does not undo the replacements. The row of a book that stays says so, because repeating the upload
    /// would not find the book again.
    ///
    /// - Parameters:
    ///   - paths: the path of each new book; nil if it is not there.
    ///   - failure: why no further commands are sent to Marvin; nil if they are sent.
    /// - Returns: messages about books that stay, by item.
    func removeSuperseded(
        _ books: [LibraryUpload], _ paths: [String?], _ failure: OverlayError?
    ) -> [Int: String] {
        var pairs: [(index: Int, size: UInt64, path: String, old: LibraryBook)] = []
        for (book, path) in zip(books, paths) {
            guard let path, let old = book.supersedes, path != old.fileName else { continue }
            pairs.append((book.index, book.size, path, old))
        }
        guard !pairs.isEmpty else { return [:] }
        var reasons: [Int: String] = [:]
        do throws(OverlayError) {
            if let failure { throw failure }
            let arrived = try device.files(pairs.map { device.paths.document($0.path) })
            for (pair, file) in zip(pairs, arrived) where file?.size != pair.size {
                reasons[pair.index] = "The new copy does not have the size of the file that was sent."
            }
            let due = pairs.filter { reasons[$0.index] == nil }
            let left = try remove(due.map(\.old))
            for pair in due where left.contains(pair.old.fileName.bytes) {
                reasons[pair.index] = "Marvin did not delete it."
            }
        } catch {
            for pair in pairs where reasons[pair.index] == nil {
                reasons[pair.index] = error.message
            }
        }
        var notes: [Int: String] = [:]
        for pair in pairs {
            guard let reason = reasons[pair.index] else { continue }
            device.host.log.notice(
                "marvin", "The new copy was added, but the old one could not be removed.",
                ["path": pair.old.fileName])
            let copy =
                "The old copy, '\(pair.old.fileName)', may still be there. Remove it with "
                + "'overlayhost delete'."
            notes[pair.index] = copy + " " + reason
        }
        return notes
    }

    /// Deletes the books with a command to Marvin.
    ///
    /// - Returns: the names of the books that are still there.
    private func remove(_ books: [LibraryBook]) throws(OverlayError) -> Set<[UInt8]> {
        guard !books.isEmpty else { return [] }
        try claim.renew()
        // Only the file name distinguishes the two copies, because the UUID may be the same.
        let command = DeleteBooks(
            timestamp: .now,
            books: books.map {
                DeleteBooks.Book(
                    author: $0.author ?? "", title: $0.title ?? "", uuid: "", fileName: $0.fileName)
            })
        let outcome = DeviceExchange.run(.deleteBooks(command), on: device) { _ in }
        let left = try BookFiles(books.map(\.fileName), device).remaining()
        if let failure = outcome.error(for: .deleteBooks), !left.isEmpty {
            device.host.log.debug("marvin", "Marvin did not delete the old copies: \(failure.message)")
        }
        return left
    }
}
