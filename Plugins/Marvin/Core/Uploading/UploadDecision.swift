import OverlayKit

/// What is to happen with an item.
enum UploadDecision: Equatable {
    case send(PlannedUpload)
    /// Only what the library says about a book is to change.
    case change(BookChange)
    /// The book is the one of an earlier item, whose fate it shares.
    case same(as: Int)
    /// Nothing more is to be done: the row says why.
    case row(ItemResult)
}
