import Diagnostics

/// The reason why a file is not used as an overlay.
///
/// ```swift
/// for found in OverlayDiscovery(paths: .current()).discover().found {
///     if let refusal = found.refusal { print(found.file, refusal.message, refusal.hint ?? "") }
/// }
/// ```
public typealias OverlayRefusal = Failure<OverlayRefusalCode>

/// The kind of an `OverlayRefusal`.
///
/// ```swift
/// func needsNewBuild(_ refusal: OverlayRefusal) -> Bool {
///     let mismatches: Set<OverlayRefusalCode> = [.olderABI, .newerABI, .missingSymbol]
///     return mismatches.contains(refusal.code)
/// }
/// ```
public struct OverlayRefusalCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// The file is not a shared library for this machine.
    public static let notALibrary = Self("not_a_library")
    /// The file cannot be read.
    public static let unreadable = Self("unreadable")
    /// Other users can change the file or its folder.
    public static let writableByOthers = Self("writable_by_others")
    /// The library does not export an entry function of any version.
    public static let noEntry = Self("no_entry")
    /// The overlay was built for a newer major version of the ABI.
    public static let newerABI = Self("newer_abi")
    /// The overlay was built for an older major version of the ABI.
    public static let olderABI = Self("older_abi")
    /// The library needs a symbol that no library provides.
    public static let missingSymbol = Self("missing_symbol")
    /// The library needs another library that cannot be found.
    public static let missingLibrary = Self("missing_library")
    /// The dynamic linker refused the library for another reason.
    public static let notLoadable = Self("not_loadable")
    /// A table or record is smaller than in version 1.0 of the ABI, or its size or the stride of a list is wrong.
    public static let structTooSmall = Self("struct_too_small")
    /// A required part of the entry record is missing.
    public static let incompleteEntry = Self("incomplete_entry")
    /// The descriptor breaks a rule.
    public static let invalidDescriptor = Self("invalid_descriptor")
    /// Another overlay has the id.
    public static let idTaken = Self("id_taken")
    /// Another overlay already serves every app that other overlays do not name.
    public static let anyAppTaken = Self("any_app_taken")
    /// The private copy cannot be created.
    public static let copyFailed = Self("copy_failed")
    /// The overlay crashed while it was loaded.
    public static let crashed = Self("crashed")
    /// The overlay did not return while it was loaded.
    public static let hung = Self("hung")
    /// The worker cannot be confined as far as the running kernel supports.
    public static let notConfined = Self("not_confined")
    /// The command was cancelled while the overlay was loaded. This is not an error of the overlay.
    public static let cancelled = Self("cancelled")
}

/// A rule for descriptors. The `underlying` error of a refusal with the code `invalidDescriptor`.
package enum DescriptorRule: String, Error, CaseIterable {
    /// A required text must not be absent.
    case required
    /// `id` must conform to its grammar.
    case id
    /// `version` must be a semantic version.
    case version
    /// `app_ids` must contain bundle identifiers.
    case appIDs
    /// `formats` must contain extensions.
    case formats
    /// Texts must be UTF-8.
    case utf8
    /// Texts and lists must not exceed their limits.
    case limit
    /// Texts must not contain control characters.
    case control
    /// A list with a count must have elements.
    case list
    /// Options must have a type, a key of the overlay, and a range and default value that match the type.
    case options
    /// Time limits must name each function at most once.
    case timeLimits
}
