import CommandProtocol
import OverlayKit

/// What is said of each book of a batch.
extension UploadBatch {
    func row(
        _ book: LibraryUpload, _ verdict: UploadVerdict, _ outcome: CommandOutcome, _ remarks: MarvinRemarks,
        _ failure: OverlayError?
    ) -> ItemResult {
        if let path = verdict.path {
            return .done(
                book.index, book.replaces || book.supersedes != nil ? .replaced : .added, path: path,
                message: remarks.note(book.name))
        }
        if let said = remarks.about(book.name) {
            return .failed(
                book.index, OverlayError(.rejected, "Marvin rejected the book: \(said)"), path: old(book))
        }
        if var failure {
            failure.hint = Self.hint(failure, staged: isLeft(book, outcome))
            return .failed(book.index, failure, path: old(book))
        }
        if verdict == .unlisted {
            return .failed(
                book.index,
                OverlayError(
                    .verificationFailed,
                    "Marvin reported success, but the book is not in its library. The file is in "
                        + "Marvin's documents."
                        + (remarks.general.map { " Marvin says: \($0)" } ?? ""),
                    hint:
                        "Restart Marvin on the device. If it does not show the book, run the same upload again."
                ),
                path: book.supersedes?.fileName)
        }
        let said =
            book.replaces ? "the old copy of the book is still there." : "the book is not in its library."
        return .failed(
            book.index,
            OverlayError(
                remarks.general == nil ? .verificationFailed : .rejected,
                remarks.general.map { "Marvin did not import the book. Marvin says: \($0)" }
                    ?? "Marvin reported success, but \(said)",
                hint: "Restart Marvin on the device and try again."), path: old(book))
    }

    /// The row of a book that could not be looked for.
    func unknown(_ book: LibraryUpload, _ outcome: CommandOutcome, _ reason: OverlayError) -> ItemResult {
        var reason = reason
        reason.hint = Self.hint(reason, staged: isLeft(book, outcome))
        reason.message = reason.message.sentence + " Marvin may or may not have imported the book."
        return .failed(book.index, reason)
    }

    /// The path of the old copy, which is still there when a replacement failed.
    func old(_ book: LibraryUpload) -> String? {
        book.replaces ? book.name : book.supersedes?.fileName
    }

    /// Whether the staged copy of a book may still be on the device.
    private func isLeft(_ book: LibraryUpload, _ outcome: CommandOutcome) -> Bool {
        let staged = device.paths.staged(book.name)
        return outcome.leftBehind.contains { $0.utf8.elementsEqual(staged.utf8) }
    }

    /// What to do about a book that was not taken.
    static func hint(_ error: OverlayError, staged: Bool) -> String? {
        guard staged else { return error.hint ?? "Run the same upload again." }
        return "A copy is waiting in Marvin's staging folder. Run the same upload again to finish."
    }
}
