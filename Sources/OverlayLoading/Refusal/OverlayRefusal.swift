import Diagnostics

/// Why a file is not used as an overlay.
public typealias OverlayRefusal = Failure<OverlayRefusalCode>

/// The kind of reason why a file is not used as an overlay.
public struct OverlayRefusalCode: FailureCode {
    /// Lower case words joined by `_`; never renamed.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// Not a shared library for this machine.
    public static let notALibrary = Self("not_a_library")
    /// The file cannot be read.
    public static let unreadable = Self("unreadable")
    /// Others may write the file or its folder.
    public static let writableByOthers = Self("writable_by_others")
    /// The library exports no entry function of any version.
    public static let noEntry = Self("no_entry")
    /// Built for a newer major version of the ABI.
    public static let newerABI = Self("newer_abi")
    /// Built for an older major version of the ABI.
    public static let olderABI = Self("older_abi")
    /// The library needs a symbol that no library provides.
    public static let missingSymbol = Self("missing_symbol")
    /// The library needs another library that cannot be found.
    public static let missingLibrary = Self("missing_library")
    /// The dynamic linker refused the library for another reason.
    public static let notLoadable = Self("not_loadable")
    /// A table or record is smaller than version 1.0 of the ABI demands.
    public static let structTooSmall = Self("struct_too_small")
    /// The entry record lacks something every overlay needs.
    public static let incompleteEntry = Self("incomplete_entry")
    /// The descriptor breaks a rule.
    public static let invalidDescriptor = Self("invalid_descriptor")
    /// Another overlay has the id.
    public static let idTaken = Self("id_taken")
    /// Another overlay serves every app that no overlay names.
    public static let anyAppTaken = Self("any_app_taken")
    /// The private copy cannot be made.
    public static let copyFailed = Self("copy_failed")
    /// The overlay broke down while it was loaded.
    public static let crashed = Self("crashed")
    /// The overlay did not return while it was loaded.
    public static let hung = Self("hung")
    /// Its worker cannot be confined as far as the running kernel offers.
    public static let notConfined = Self("not_confined")
    /// The command was cancelled while the overlay was loaded; that is not the overlay's fault.
    public static let cancelled = Self("cancelled")
}

/// A rule of descriptors: `underlying` of a refusal with the code `invalidDescriptor`.
package enum DescriptorRule: String, Error, CaseIterable {
    /// A text that must be there is not.
    case required
    /// `id` has its grammar.
    case id
    /// `version` is a semantic version.
    case version
    /// `app_ids` names bundle ids.
    case appIDs
    /// `formats` holds extensions.
    case formats
    /// Texts are UTF-8.
    case utf8
    /// Texts and lists stay within their limits.
    case limit
    /// Texts hold no control characters.
    case control
    /// A list that counts something holds it.
    case list
    /// Options have a type, a key of the overlay's own, a range and a default that fit together.
    case options
    /// Time limits name each function once.
    case timeLimits
}
