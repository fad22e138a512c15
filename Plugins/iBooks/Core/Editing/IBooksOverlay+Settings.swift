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
            .init(.upload, reason: Permission.reason, hint: Permission.hint),
            .init(.delete, reason: Permission.reason, hint: Permission.hint),
        ]
        return settings
    }
}

/// The sentences for people about changing the library: what is known about it and what is not.
enum Permission {
    /// Why adding and deleting is disabled.
    static let reason =
        "Adding and deleting is off by default because it is untested on current iOS versions."
    /// How to enable it, and what may happen then.
    static let hint =
        "Books may ignore the changes, or undo them at the next sync. Make a backup, then turn it on "
        + "with: overlayhost prefs set ibooks_write true."

    /// Throws unless the person has allowed changes.
    static func require(_ overlay: IBooksOverlay) throws(OverlayError) {
        guard try overlay.mayWrite else { throw OverlayError(.notSupported, reason, hint: hint) }
    }
}

extension IBooksOverlay: AddsToBooklist, RemovesFromBooklist {}
