import OverlayKit

/// A replaced book begins anew in Marvin's library, with what its new file says. What a person has entered, and the new file says
/// nothing about, is handed to Marvin again.
extension UploadBatch {
    /// Gives the replaced books back what their new files do not tell.
    ///
    /// The books themselves are there, whatever becomes of this.
    ///
    /// - Parameters:
    ///   - paths: where each book is now; nil: it is not there.
    ///   - library: what Marvin has now; nil: it was not read, because the method is to end.
    /// - Returns: what could not be kept, for the rows, by item.
    func keepWhatFilesDoNotTell(
        _ books: [PlannedUpload], _ paths: [String?], _ library: [[UInt8]: LibraryBook]?
    ) -> [Int: String] {
        let replaced = zip(books, paths).compactMap { book, path in
            path.flatMap { path in book.present.map { (book: book, path: path, old: $0) } }
        }.filter(\.book.mayLose)
        guard !replaced.isEmpty else { return [:] }
        guard let library else {
            let reason = device.interruption()?.message ?? "It was not looked at any more."
            return Dictionary(
                uniqueKeysWithValues: replaced.map { book, _, old in
                    (book.index, Self.lost(book.silent.intersection(old.told), reason))
                })
        }
        var rows = ResultRows(count: count)
        var changes: [BookChange] = []
        var notes: [Int: String] = [:]
        do throws(OverlayError) {
            for (book, path, old) in replaced {
                guard let now = library[path.bytes] else { continue }
                let cut = book.silent.filter(old.cut.contains)
                if !cut.isEmpty { notes[book.index] = Self.lost(cut, "It could not be read as a whole.") }
                do throws(OverlayError) {
                    let wanted = old.kept(book.silent.subtracting(cut))
                    let change = try BookChange(book.index, now, wanted: wanted) { _ in false }
                    if !change.fields.isEmpty { changes.append(change) }
                } catch {
                    notes[book.index] = Self.lost(book.silent.intersection(old.told), error.message)
                }
            }
            let run = ChangeRun(
                device: device, claim: claim, batchSize: changes.count, first: first, count: count)
            try run.run(changes, &rows)
        } catch  where changes.isEmpty {
            for (book, _, old) in replaced {
                notes[book.index] = Self.lost(book.silent.intersection(old.told), error.message)
            }
        } catch {
            device.host.log.debug("marvin", "The rows of the books tell it: \(error.message)")
        }
        for change in changes {
            guard let reason = rows.failures[change.index] else { continue }
            notes[change.index] = Self.lost(change.fields, reason)
        }
        return notes
    }

    private static func lost(_ fields: Set<MetadataField>, _ reason: String) -> String {
        let names = MetadataField.allCases.filter(fields.contains).map(\.phrase).joined(separator: ", ")
        return "Of what Marvin had of the book this could not be kept: \(names). \(reason.sentence)"
    }
}
