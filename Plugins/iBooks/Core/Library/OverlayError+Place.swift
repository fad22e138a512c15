import OverlayKit

extension OverlayError {
    /// Whether only this file or folder cannot be read: a list of books, or a folder of them, is worth passing over then.
    ///
    /// What iOS refuses it may as well say is not there, and the other way round.
    var isOfOnePlace: Bool {
        [.notFound, .accessRefused, .damaged, .invalidArgument].contains(status)
    }
}
