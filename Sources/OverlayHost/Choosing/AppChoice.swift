/// The choice of a reader app and its overlay. Pure: depends only on values.
///
/// ```swift
/// func appName(_ catalog: OverlayCatalog, _ values: PreferenceValues) throws -> String {
///     let facts = try AppChoiceFacts(requested: nil, preferences: values, catalog: catalog, installed: nil)
///     let choice = try AppChoice.choose(facts)
///     for note in choice.notes { print(note) }
///     return choice.appName
/// }
/// ```
public struct AppChoice: Sendable, Equatable {
    /// The origin of the overlay.
    public enum Source: Sendable, Equatable {
        /// An overlay from a plugins folder, identified by its id.
        case discovered(id: String)
        /// The overlay under development, identified by its path.
        case development(file: String)
    }

    /// The reason for the choice.
    public enum Reason: String, Sendable {
        /// `--app`.
        case option
        /// `preferred_reader_app`.
        case preference
        /// The only served app on the device.
        case onlyServedApp
        /// `development_mode`, together with `development_app_id` and `development_overlay`.
        case development
    }

    /// The overlay to use.
    public var overlay: Source
    /// The bundle identifiers to open, in order of preference; never empty. The first that can be opened is used.
    public var bundleIDs: [String]
    /// The app's name for display.
    public var appName: String
    /// The reason for the choice.
    public var reason: Reason
    /// Sentences for the user, for example about an incomplete development setting.
    public var notes: [String]

    /// Whether the app was chosen only because it is on every device. Other served apps on the device take
    /// precedence.
    var isLastResort: Bool {
        reason == .onlyServedApp && bundleIDs.allSatisfy { KnownReaderApp.partOfIOS($0) != nil }
    }
}

extension AppChoice {
    /// Chooses by `--app`, or else `preferred_reader_app`, or else the only served app on the device.
    ///
    /// `development_mode` with `development_app_id` and `development_overlay` overrides this, unless `--app` names
    /// another app. The hint of an error explains how to choose.
    public static func choose(_ facts: AppChoiceFacts) throws(HostError) -> AppChoice {
        let chooser = AppChooser(facts)
        var choice = try chooser.choose()
        if let note = facts.development.note { choice.notes.append(note) }
        return choice
    }

    /// The other apps on the device that could have been chosen, without those that are part of iOS: these cannot be
    /// changed by default.
    func others(_ facts: AppChoiceFacts) -> [OtherApp] { AppChooser(facts).otherApps(than: self) }

    /// The overlay that will be used, if that does not depend on the apps of the device; otherwise nil.
    ///
    /// - Parameter facts: the facts; the apps on the device are ignored.
    static func certainOverlay(_ facts: AppChoiceFacts) -> Source? {
        var facts = facts
        facts.installed = nil
        return AppChooser(facts).certainOverlay()
    }
}
