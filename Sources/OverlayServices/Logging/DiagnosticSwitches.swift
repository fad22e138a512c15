import HostErrors
import Logging
import Preferences

/// A stream of diagnostics that can be switched on without the others.
public struct DiagnosticCategory: RawRepresentable, Hashable, Sendable {
    /// The name that stands in each line.
    public let rawValue: String

    /// A category by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Calls into the overlay: `debug_plugin`.
    public static let plugin = Self(rawValue: "plugin")
    /// Calls to the device: `debug_libimobiledevice`.
    public static let libimobiledevice = Self(rawValue: "libimobiledevice")
    /// Every poll for a device that can be served: `debug_can_handle`.
    public static let canHandle = Self(rawValue: "can_handle")
    /// What the overlay itself logs: all of it in `development_mode`, with the text of each staged command.
    public static let overlay = Self(rawValue: "overlay")
    /// Every call between the host and its overlays with what crosses: in `development_mode`.
    public static let calls = Self(rawValue: "calls")
    /// Everything else the host does.
    public static let host = Self(rawValue: "host")
}

/// What is logged to stderr: nothing by default, else what the preferences and `--verbose` switch on.
///
/// ```swift
/// let preferences = Preferences(file: HostPaths.current().preferencesFile)
/// let switches = try DiagnosticSwitches(preferences.read(), verbose: true)
/// switches.logger(.host).info("The program has started.")
/// ```
public struct DiagnosticSwitches: Sendable, Equatable {
    /// `debug_plugin`.
    public var plugin: Bool
    /// `debug_libimobiledevice`.
    public var libimobiledevice: Bool
    /// `debug_can_handle`.
    public var canHandle: Bool
    /// `development_mode`: the overlay's and the host's own diagnostics in full.
    public var development: Bool
    /// `--verbose`: what the overlay and the host report at the level info and above.
    public var verbose: Bool

    /// Switches; all off by default.
    public init(
        plugin: Bool = false, libimobiledevice: Bool = false, canHandle: Bool = false,
        development: Bool = false,
        verbose: Bool = false
    ) {
        self.plugin = plugin
        self.libimobiledevice = libimobiledevice
        self.canHandle = canHandle
        self.development = development
        self.verbose = verbose
    }

    /// The switches in the preferences.
    public init(_ preferences: PreferenceValues, verbose: Bool = false) throws(HostError) {
        self.init(
            plugin: try preferences.bool("debug_plugin"),
            libimobiledevice: try preferences.bool("debug_libimobiledevice"),
            canHandle: try preferences.bool("debug_can_handle"),
            development: try preferences.bool("development_mode"), verbose: verbose)
    }

    /// The lowest level that is logged for a category; nil: nothing.
    public func level(of category: DiagnosticCategory) -> Logger.Level? {
        switch category {
        case .plugin: plugin ? .trace : nil
        case .libimobiledevice: libimobiledevice ? .trace : nil
        case .canHandle: canHandle ? .trace : nil
        case .calls: development ? .debug : nil
        default: development ? .trace : (verbose ? .info : nil)
        }
    }

    /// The logger of a category, writing to stderr, or nowhere if the category is off.
    public func logger(_ category: DiagnosticCategory) -> Logger {
        logger(category, to: .standardError)
    }

    /// The logger of a category, at the level its switches ask for.
    package func logger(_ category: DiagnosticCategory, to output: StandardErrorLogHandler.Output) -> Logger {
        let level = level(of: category)
        return Logger(label: category.rawValue) { label in
            guard let level else { return SwiftLogNoOpLogHandler() }
            return StandardErrorLogHandler(category: label, level: level, output: output)
        }
    }
}
