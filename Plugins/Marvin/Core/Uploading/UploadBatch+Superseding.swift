import CommandProtocol
import OverlayKit

/// Books that the new ones take the place of under other names.
extension UploadBatch {
    /// Deletes books whose replacements are there, whole.
    ///
    /// The replacements count whatever becomes of this; of a book that stays its row says so, for the same upload run again
    /// would not find it any more.
    ///
    /// - Parameters:
    ///   - paths: where each new book is; nil: it is not there.
    ///   - failure: why Marvin gets no further command; nil: it gets one.
    /// - Returns: what is to be said of books that stay, by item.
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
                reasons[pair.index] = error.message.sentence
            }
        }
        var notes: [Int: String] = [:]
        for pair in pairs {
            guard let reason = reasons[pair.index] else { continue }
            device.host.log.notice(
                "marvin", "The new copy was added, but the old one could not be removed.",
                ["path": pair.old.fileName])
            let copy =
                "The old copy, “\(pair.old.fileName)”, may still be there. Remove it with: overlayhost "
                + "delete."
            notes[pair.index] = copy + " " + reason
        }
        return notes
    }

    /// Has Marvin delete the books.
    ///
    /// - Returns: the names of those that are still there.
    private func remove(_ books: [LibraryBook]) throws(OverlayError) -> Set<[UInt8]> {
        guard !books.isEmpty else { return [] }
        try claim.renew()
        // The name of the file alone tells the two copies apart: the uuid may be the same.
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
