import BookFolders
import OverlayKit

extension IBooksOverlay: ProvidesSettings {
    /// The abilities that the device and the preferences allow.
    public func settings() throws(OverlayError) -> OverlaySettings {
        var settings = OverlaySettings(
            missing: [
                .init(
                    .update, reason: "Only Books itself can write its metadata database."),
                .init(.collections, reason: "Only Books itself can write its collections database."),
            ])
        guard try !mayWrite else { return settings }
        settings.missing += [
            .init(.upload, reason: Permission.reason, hint: Permission.hint, hintKind: .preference),
            .init(.delete, reason: Permission.reason, hint: Permission.hint, hintKind: .preference),
        ]
        return settings
    }
}

/// The sentences for users about the known effects and open questions of changing the library.
enum Permission {
    /// Why adding and deleting is disabled, and what may happen if it is enabled.
    static let reason =
        "Adding and deleting are off by default because they are untested on current iOS versions: "
        + "Books may ignore the changes, or undo them at the next sync."
    /// How to enable it.
    static let hint = "Make a backup, then turn it on: overlayhost prefs set ibooks_write true"

    /// Throws unless the user has allowed changes.
    static func require(_ overlay: IBooksOverlay) throws(OverlayError) {
        guard try overlay.mayWrite else {
            throw OverlayError(.notSupported, reason, hint: hint, hintKind: .preference)
        }
    }
}

extension IBooksOverlay: AddsToBooklist, RemovesFromBooklist {}
