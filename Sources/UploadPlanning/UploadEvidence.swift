import OverlayKit

/// What an app's overlay finds out about the books on the device when a decision needs it.
///
/// The planner asks in the order of the functions below and only as far as it must, for some answers cost device requests.
/// When a function throws, the planner asks once more; then the item fails. For the device thread.
public protocol UploadEvidence<Key> {
    /// What the overlay knows books on the device by.
    associatedtype Key: Hashable & Sendable

    /// The book at a path, as rows name it; nil if there is none.
    func book(atPath path: String) -> PresentBook<Key>?

    /// The books with that id, in lower case; empty where the app knows none.
    func books(withUUID uuid: String) -> [PresentBook<Key>]

    /// A book that has all bytes of an incoming one and is not among `claimed`; nil if there is none.
    func book(
        withContentOf book: IncomingBook, besides claimed: Set<Key>
    ) throws(OverlayError) -> PresentBook<Key>?

    /// A book that was sent with the content of an incoming one, has been changed by the app since, and is not among
    /// `claimed`; nil if there is none.
    func changedState(
        of book: IncomingBook, besides claimed: Set<Key>
    ) throws(OverlayError) -> PresentBook<Key>?

    /// The books that may be another edition of an incoming one; the preferred first.
    func books(namedAs book: IncomingBook) throws(OverlayError) -> [NamedBook<Key>]

    /// Whether a book that was found by its id or name has all bytes of an incoming one; nil: that cannot be told.
    func hasContent(_ present: PresentBook<Key>, of book: IncomingBook) throws(OverlayError) -> Bool?

    /// What is lost when the content of an incoming book takes the place of a book on the device; nil: that cannot be known.
    func marks(in present: PresentBook<Key>, replacedBy book: IncomingBook) throws(OverlayError)
        -> ReadingMarks?
}

/// The answer to a question about the device, which is asked once more if the first try fails: one error of a device that is
/// busy decides nothing about a book.
///
/// - Throws: what the second try throws, and at once what ends the running method.
public func answerOnSecondTry<Answer>(
    _ question: () throws(OverlayError) -> Answer
) throws(OverlayError) -> Answer {
    do throws(OverlayError) {
        return try question()
    } catch {
        if error.endsTheCall { throw error }
        return try question()
    }
}
