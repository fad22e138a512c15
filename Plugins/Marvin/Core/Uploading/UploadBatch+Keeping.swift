import OverlayKit

/// Marvin reads files alone: a new book begins in its library with what its file says, a replaced one anew. What the host knows
/// beside the file, such as from a calibre library, and what a person has entered of a replaced book and the new file says nothing
/// about, is handed to Marvin afterwards.
extension UploadBatch {
    /// Tells Marvin what the files of its new books do not.
    ///
    /// The books themselves are there, whatever becomes of this.
    ///
    /// - Parameters:
    ///   - paths: where each book is now; nil: it is not there.
    ///   - library: what Marvin has now; nil: it was not read, because the method is to end.
    /// - Returns: what Marvin does not know of the books, for the rows, by item.
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
        var rows = ResultRows(count: count)
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
            guard let reason = rows.failures[change.index] else { continue }
            notes[change.index] = Self.lost(change.fields, reason)
        }
        return notes
    }

    private static func lost(_ fields: Set<MetadataField>, _ reason: String) -> String {
        let names = MetadataField.allCases.filter(fields.contains).map(\.phrase).joined(separator: ", ")
        return names.isEmpty
            ? "The book's additional metadata was not set in Marvin. \(reason.sentence)"
            : "These fields were not set in Marvin: \(names). \(reason.sentence)"
    }
}
