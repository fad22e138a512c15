import OverlayKit

extension IBooksOverlay: ProvidesSettings {
    /// What the device and the switches allow.
    public func settings() throws(OverlayError) -> OverlaySettings {
        var settings = OverlaySettings(
            missing: [
                .init(
                    .update, reason: "Books keeps what it knows of a book in a database that only it writes."),
                .init(.collections, reason: "Books keeps collections in a database that only it writes."),
            ])
        guard try !mayWrite else { return settings }
        settings.missing += [
            .init(.upload, reason: Permission.reason, hint: Permission.hint),
            .init(.delete, reason: Permission.reason, hint: Permission.hint),
        ]
        return settings
    }
}
