import BookFolders
import OverlayKit

/// What is to happen with an item.
enum UploadDecision: Equatable {
    /// The book goes to Marvin; `insteadOf` an earlier item of the upload, which is another edition of it.
    case send(PlannedUpload, insteadOf: Int? = nil)
    /// Only what the library says about a book is to change.
    case change(BookChange)
    /// The book is there already, and is left alone.
    case present(LibraryBook, MatchRule)
    /// The book counts as that of an earlier item, whose fate it shares; the message says why.
    case same(as: Int, message: String)
    /// Nothing more is to be done: the row says why.
    case row(ItemResult)
}
