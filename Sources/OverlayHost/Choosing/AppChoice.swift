/// Which reader app a command works on, and with which overlay. Pure: decided from values alone.
public struct AppChoice: Sendable, Equatable {
    /// Where the overlay comes from.
    public enum Source: Sendable, Equatable {
        /// An overlay found in a plugins folder, by its id.
        case discovered(id: String)
        /// The overlay under development, by its path.
        case development(file: String)
    }

    /// Why it was chosen.
    public enum Reason: String, Sendable {
        /// `--app`.
        case option
        /// `preferred_reader_app`.
        case preference
        /// The only served app on the device.
        case onlyServedApp
        /// `development_mode` with its two companions.
        case development
    }

    /// The overlay to use.
    public var overlay: Source
    /// Bundle ids to open, in order of preference; never empty. The first that can be opened wins.
    public var bundleIDs: [String]
    /// The app's name, for people.
    public var appName: String
    /// Why it was chosen.
    public var reason: Reason
    /// Sentences a person should see, such as what is missing of a half-made development setting.
    public var notes: [String]

    /// Whether it was chosen only because every device has it: any other served app on the device comes first.
    var isLastResort: Bool {
        reason == .onlyServedApp && bundleIDs.allSatisfy { KnownReaderApp.partOfIOS($0) != nil }
    }
}

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
