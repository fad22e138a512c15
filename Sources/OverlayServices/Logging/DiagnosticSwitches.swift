import HostErrors
import Logging
import Preferences

/// A category of diagnostics that can be enabled separately.
///
/// ```swift
/// let switches = DiagnosticSwitches(plugin: true, verbose: true)
/// for category in [DiagnosticCategory.plugin, .overlay, .calls] {
///     print(category.rawValue, switches.level(of: category)?.rawValue ?? "off")
/// }
/// ```
public struct DiagnosticCategory: RawRepresentable, Hashable, Sendable {
    /// The name in each line.
    public let rawValue: String

    /// Creates a category from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Calls into the overlay: `debug_plugin`.
    public static let plugin = Self(rawValue: "plugin")
    /// Calls to the device: `debug_libimobiledevice`.
    public static let libimobiledevice = Self(rawValue: "libimobiledevice")
    /// Every check for a device that can be served: `debug_can_handle`.
    public static let canHandle = Self(rawValue: "can_handle")
    /// Messages of the overlay. In `development_mode`, all of them, with the text of each staged command.
    public static let overlay = Self(rawValue: "overlay")
    /// Every call between the host and its overlays with its data: in `development_mode`.
    public static let calls = Self(rawValue: "calls")
    /// All other messages of the host.
    public static let host = Self(rawValue: "host")
}

/// Determines what is logged to standard error: nothing by default, otherwise what the preferences and `--verbose`
/// enable.
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
    /// `development_mode`: all diagnostics of the overlay and the host.
    public var development: Bool
    /// `--verbose`: messages of the overlay and the host at the level info and above.
    public var verbose: Bool

    /// Creates switches; all are off by default.
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

    /// Reads the switches from the preferences.
    public init(_ preferences: PreferenceValues, verbose: Bool = false) throws(HostError) {
        self.init(
            plugin: try preferences.bool("debug_plugin"),
            libimobiledevice: try preferences.bool("debug_libimobiledevice"),
            canHandle: try preferences.bool("debug_can_handle"),
            development: try preferences.bool("development_mode"), verbose: verbose)
    }

    /// The lowest level that is logged for a category; nil if the category is off.
    public func level(of category: DiagnosticCategory) -> Logger.Level? {
        switch category {
        case .plugin: plugin ? .trace : nil
        case .libimobiledevice: libimobiledevice ? .trace : nil
        case .canHandle: canHandle ? .trace : nil
        case .calls: development ? .debug : nil
        default: development ? .trace : (verbose ? .info : nil)
        }
    }

    /// The logger of a category, which writes to standard error, or nowhere if the category is off.
    public func logger(_ category: DiagnosticCategory) -> Logger {
        logger(category, to: .standardError)
    }

    /// The logger of a category at the level of its switches.
    package func logger(_ category: DiagnosticCategory, to output: StandardErrorLogHandler.Output) -> Logger {
        let level = level(of: category)
        return Logger(label: category.rawValue) { label in
            guard let level else { return SwiftLogNoOpLogHandler() }
            return StandardErrorLogHandler(category: label, level: level, output: output)
        }
    }
}
