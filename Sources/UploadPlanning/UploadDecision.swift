import OverlayKit

/// What is to happen with an incoming book.
public enum UploadDecision<Key: Hashable & Sendable>: Sendable {
    /// It is sent. The remarks, whole sentences, go into its row.
    case send(UploadTarget<Key>, remarks: [String])
    /// Its content is there already, and replacing is asked for: it is sent again, moves to where it was asked for, or stays, as
    /// the overlay has it.
    case refresh(PresentBook<Key>)
    /// It is there; only what is known of it beside the file is brought up to date. The remark, a sentence, goes into its row.
    case update(PresentBook<Key>, remark: String?)
    /// It counts as the book of an earlier item, whose fate it shares; the message says why.
    case same(as: Int, message: String)
    /// It is there and is left alone.
    case skip(PresentBook<Key>, MatchRule)
    /// It is there, but which of several books it is cannot be told, and none is changed.
    case skipAmbiguous([PresentBook<Key>], message: String)
    /// It fails; with the book it would have changed.
    case fail(OverlayError, PresentBook<Key>?)
}

/// Where a book that is sent goes.
public enum UploadTarget<Key: Hashable & Sendable>: Sendable {
    /// To a place of its own.
    case new
    /// To the place of a book on the device.
    case present(PresentBook<Key>)
    /// To the place of an earlier item of the upload, by its index, which it replaces.
    case earlier(Int)
}
