import OverlayABI

extension OverlaySettings {
    /// A copy of a record.
    package init(_ record: ovl_settings) throws(OverlayError) {
        self.init(
            formats: try record.formats.strings("settings.formats"),
            settableMetadata: try record.settable_metadata.strings("settings.settable_metadata"),
            missing: try record.missing.map(ovl_missing.self, "settings.missing") {
                (missing) throws(OverlayError) in
                Missing(
                    .init(rawValue: try missing.ability.required("missing.ability")),
                    reason: try missing.reason.required("missing.reason"),
                    hint: try missing.hint.string("missing.hint"))
            })
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_settings {
        var record = ovl_settings.sized()
        record.formats = arena.texts(formats)
        record.settable_metadata = arena.texts(settableMetadata)
        record.missing = arena.list(missing) { missing in
            var record = ovl_missing.sized()
            record.ability = arena.text(missing.ability.rawValue)
            record.reason = arena.text(missing.reason)
            record.hint = arena.text(missing.hint)
            return record
        }
        return record
    }
}
