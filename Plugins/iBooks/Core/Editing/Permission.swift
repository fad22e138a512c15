import OverlayKit

/// What is known and not known about changing the library, in the words a person gets to read.
enum Permission {
    /// Why adding and deleting is off.
    static let reason =
        "Adding and deleting by the media folder is switched off, because nobody has verified what a current iOS makes of it."
    /// How it is switched on, and what may happen then.
    static let hint =
        "Books may ignore such changes, or undo them when the device synchronises. To try it with a backup at hand: "
        + "overlayhost prefs set ibooks_write true."

    /// Refuses changes unless the person allowed them.
    static func require(_ overlay: IBooksOverlay) throws(OverlayError) {
        guard try overlay.mayWrite else { throw OverlayError(.notSupported, reason, hint: hint) }
    }
}
