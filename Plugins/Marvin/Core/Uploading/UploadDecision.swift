import OverlayKit

/// What is to happen with an item.
enum UploadDecision: Equatable {
    case send(PlannedUpload)
    /// Nothing more is to be done: the row says why.
    case row(ItemResult)
}
