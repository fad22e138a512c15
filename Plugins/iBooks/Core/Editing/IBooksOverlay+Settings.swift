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
