import BookFolders
import OverlayKit

extension IBooksOverlay: ProvidesSettings {
    /// What the device and the switches allow.
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

/// What is known and not known about changing the library, in the words a person gets to read.
enum Permission {
    /// Why adding and deleting is off.
    static let reason =
        "Adding and deleting is off by default because it is untested on current iOS versions."
    /// How it is switched on, and what may happen then.
    static let hint =
        "Books may ignore the changes, or undo them at the next sync. Make a backup, then turn it on "
        + "with: overlayhost prefs set ibooks_write true."

    /// Refuses changes unless the person allowed them.
    static func require(_ overlay: IBooksOverlay) throws(OverlayError) {
        guard try overlay.mayWrite else { throw OverlayError(.notSupported, reason, hint: hint) }
    }
}

extension IBooksOverlay: AddsToBooklist, RemovesFromBooklist {}
