import OverlayABI

/// The outcome of an item: `OVL_OUTCOME_…`. An open set; treat an unknown value as `failed`.
///
/// ```swift
/// func problems(sending files: [PushItem], _ host: HostServices) throws(OverlayError) -> [String] {
///     let results = try host.transport.push(.documents, files)
///     let failed = results.filter { $0.outcome == .failed }
///     return failed.map { $0.message ?? "The file was not sent." }
/// }
/// ```
public struct Outcome: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// Creates an outcome from its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The item failed; see `status`.
    public static let failed = Outcome(rawValue: OVL_OUTCOME_FAILED)
    /// A new book is on the device.
    public static let added = Outcome(rawValue: OVL_OUTCOME_ADDED)
    /// An existing book was updated.
    public static let updated = Outcome(rawValue: OVL_OUTCOME_UPDATED)
    /// An existing book was replaced.
    public static let replaced = Outcome(rawValue: OVL_OUTCOME_REPLACED)
    /// Nothing was done; the message contains the reason.
    public static let skipped = Outcome(rawValue: OVL_OUTCOME_SKIPPED)
    /// The book is no longer on the device.
    public static let deleted = Outcome(rawValue: OVL_OUTCOME_DELETED)
    /// A copy of the book is on the host.
    public static let fetched = Outcome(rawValue: OVL_OUTCOME_FETCHED)
}

/// The result of one item of an upload, delete, fetch, sync, push or pull. The Swift form of `ovl_item_result`.
///
/// ```swift
/// let added = ItemResult.done(0, .added, path: "/Documents/Emma.epub")
/// let failed = ItemResult.failed(1, OverlayError(.noSpace, "The device is full."))
/// ```
public struct ItemResult: Hashable, Sendable {
    /// The index of the input item, from 0. Each index is reported exactly once.
    public var index: Int
    /// `ok` unless `outcome` is `failed`.
    public var status: OverlayStatus
    /// The outcome of the item.
    public var outcome: Outcome
    /// The path of the book after the call, as `books` would report it; nil if it is not on the device.
    public var path: String?
    /// The reason why it failed or was skipped, or a warning of the reader app: one sentence.
    public var message: String?
    /// What the user can do about it.
    public var hint: String?
    /// The kind of help that `hint` gives, if it names an option of the command line.
    public var hintKind: HintKind?
    /// The fetched copy on the host.
    public var file: HostFile?
    /// The component that defines `nativeCode`.
    public var domain: ErrorDomain
    /// The unchanged code of the lower layer, if the item failed.
    public var nativeCode: Int64
    /// Whether the same item may succeed if it is tried again.
    public var retryable: Bool
    /// For `push`: the modification time of the file's content on the device, in nanoseconds since 1970; 0 if
    /// unknown.
    public var modified: Int64
    /// For `push`: the creation time of the file on the device, in nanoseconds since 1970; 0 if unknown.
    public var created: Int64

    /// Creates a row with all values.
    public init(
        index: Int, status: OverlayStatus, outcome: Outcome, path: String? = nil, message: String? = nil,
        hint: String? = nil, hintKind: HintKind? = nil, file: HostFile? = nil, domain: ErrorDomain = .none,
        nativeCode: Int64 = 0, retryable: Bool = false, modified: Int64 = 0, created: Int64 = 0
    ) {
        self.index = index
        self.status = status
        self.outcome = outcome
        self.path = path
        self.message = message
        self.hint = hint
        self.hintKind = hintKind
        self.file = file
        self.domain = domain
        self.nativeCode = nativeCode
        self.retryable = retryable
        self.modified = modified
        self.created = created
    }

    /// Creates the row of an item that succeeded or was skipped.
    public static func done(
        _ index: Int, _ outcome: Outcome, path: String? = nil, message: String? = nil, file: HostFile? = nil
    ) -> ItemResult {
        ItemResult(index: index, status: .ok, outcome: outcome, path: path, message: message, file: file)
    }

    /// Creates the row of an item that failed.
    ///
    /// The message includes the subject of the error, because a row has no field for it.
    public static func failed(_ index: Int, _ error: OverlayError, path: String? = nil) -> ItemResult {
        var message = error.message
        if let subject = error.subject { message += " (\(subject))" }
        return ItemResult(
            index: index, status: error.status == .ok ? .failed : error.status, outcome: .failed, path: path,
            message: message, hint: error.hint, hintKind: error.hintKind, domain: error.domain,
            nativeCode: error.nativeCode, retryable: error.retryable)
    }
}
