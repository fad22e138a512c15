import OverlayKit

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
