import OverlayKit

/// Answers the planner's questions about the books on the device. Each app's overlay implements it.
///
/// The planner asks in the order of the functions below and only if necessary, because some answers need requests to
/// the device. If a function throws, the planner asks once more; if that throws too, the item fails. Use on the
/// device thread.
public protocol UploadEvidence<Key> {
    /// The key with which the overlay identifies books on the device.
    associatedtype Key: Hashable & Sendable

    /// The book at a path, written as in rows; nil if there is none.
    func book(atPath path: String) -> PresentBook<Key>?

    /// The books with an id, which is in lower case; empty if there are none.
    func books(withUUID uuid: String) -> [PresentBook<Key>]

    /// A book with all bytes of an incoming one that is not among `claimed`; nil if there is none.
    func book(
        withContentOf book: IncomingBook, besides claimed: Set<Key>
    ) throws(OverlayError) -> PresentBook<Key>?

    /// A book that was sent with the content of an incoming one and changed by the app since, and that is not among
    /// `claimed`; nil if there is none.
    func changedState(
        of book: IncomingBook, besides claimed: Set<Key>
    ) throws(OverlayError) -> PresentBook<Key>?

    /// The books that may be another edition of an incoming one, with the preferred one first.
    func books(namedAs book: IncomingBook) throws(OverlayError) -> [NamedBook<Key>]

    /// Whether a book that was found by its id or name has all bytes of an incoming one; nil if that cannot be
    /// determined.
    func hasContent(_ present: PresentBook<Key>, of book: IncomingBook) throws(OverlayError) -> Bool?

    /// The loss if an incoming book replaces the content of a book on the device; nil if unknown.
    func marks(in present: PresentBook<Key>, replacedBy book: IncomingBook) throws(OverlayError)
        -> ReadingMarks?
}

/// The answer to a question about the device. It asks a second time if the first try fails, because a single error of
/// a busy device should not decide about a book.
///
/// - Throws: the error of the second try. An error that ends the running method is thrown at once.
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
