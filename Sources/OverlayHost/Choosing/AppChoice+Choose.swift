extension AppChoice {
    /// Chooses by `--app`, else `preferred_reader_app`, else the only served app on the device.
    ///
    /// `development_mode` with `development_app_id` and `development_overlay` overrides all of it, unless `--app` names
    /// another app. An error's hint says how to choose.
    public static func choose(_ facts: AppChoiceFacts) throws(HostError) -> AppChoice {
        let chooser = AppChooser(facts)
        var choice = try chooser.choose()
        if let note = facts.development.note { choice.notes.append(note) }
        return choice
    }

    /// The overlay that serves if any does, known before the device has listed its apps; nil if it depends on them.
    ///
    /// - Parameter facts: the apps on the device are not looked at.
    static func certainOverlay(_ facts: AppChoiceFacts) -> Source? {
        var facts = facts
        facts.installed = nil
        return AppChooser(facts).certainOverlay()
    }
}
