import OverlayABI

/// The outcome of one item: `OVL_OUTCOME_…`. An open set; take an unknown one as `failed`.
public struct Outcome: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// An outcome by its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// It failed; `status` says how.
    public static let failed = Outcome(rawValue: OVL_OUTCOME_FAILED)
    /// A new book is on the device.
    public static let added = Outcome(rawValue: OVL_OUTCOME_ADDED)
    /// A book that was there was brought up to date.
    public static let updated = Outcome(rawValue: OVL_OUTCOME_UPDATED)
    /// A book that was there was replaced.
    public static let replaced = Outcome(rawValue: OVL_OUTCOME_REPLACED)
    /// Nothing was done; the message says why.
    public static let skipped = Outcome(rawValue: OVL_OUTCOME_SKIPPED)
    /// The book is no longer on the device.
    public static let deleted = Outcome(rawValue: OVL_OUTCOME_DELETED)
    /// A copy of the book is on the host.
    public static let fetched = Outcome(rawValue: OVL_OUTCOME_FETCHED)
}

/// The row of one item of an upload, delete, fetch, sync, push or pull; the Swift form of `ovl_item_result`.
///
///     let added = ItemResult.done(0, .added, path: "/Documents/Emma.epub")
///     let failed = ItemResult.failed(1, OverlayError(.noSpace, "The device is full."))
public struct ItemResult: Hashable, Sendable {
    /// Which input item, from 0. Each index is reported exactly once.
    public var index: Int
    /// `ok` unless `outcome` is `failed`.
    public var status: OverlayStatus
    /// The outcome of the item.
    public var outcome: Outcome
    /// Path of the book after the call, as `books` would report it; nil when it is not on the device.
    public var path: String?
    /// Why it failed or was skipped, or a warning of the reader app: one sentence.
    public var message: String?
    /// What the person can do about it.
    public var hint: String?
    /// The fetched copy on the host.
    public var file: HostFile?
    /// Who defined `nativeCode`.
    public var domain: ErrorDomain
    /// The untouched code of the lower layer, if the item failed.
    public var nativeCode: Int64
    /// Whether the same item may succeed when tried again.
    public var retryable: Bool
    /// Of `push`: when the content of the file on the device last changed, in nanoseconds since 1970; 0 if not known.
    public var modified: Int64
    /// Of `push`: when the file on the device was made, in nanoseconds since 1970; 0 if not known.
    public var created: Int64

    /// A row with everything said.
    public init(
        index: Int, status: OverlayStatus, outcome: Outcome, path: String? = nil, message: String? = nil,
        hint: String? = nil, file: HostFile? = nil, domain: ErrorDomain = .none, nativeCode: Int64 = 0,
        retryable: Bool = false, modified: Int64 = 0, created: Int64 = 0
    ) {
        self.index = index
        self.status = status
        self.outcome = outcome
        self.path = path
        self.message = message
        self.hint = hint
        self.file = file
        self.domain = domain
        self.nativeCode = nativeCode
        self.retryable = retryable
        self.modified = modified
        self.created = created
    }

    /// The row of an item that succeeded or was skipped.
    public static func done(
        _ index: Int, _ outcome: Outcome, path: String? = nil, message: String? = nil, file: HostFile? = nil
    ) -> ItemResult {
        ItemResult(index: index, status: .ok, outcome: outcome, path: path, message: message, file: file)
    }

    /// The row of an item that failed.
    ///
    /// The message is the error's with its subject, because a row has no field for that.
    public static func failed(_ index: Int, _ error: OverlayError, path: String? = nil) -> ItemResult {
        var message = error.message
        if let subject = error.subject { message += " (\(subject))" }
        return ItemResult(
            index: index, status: error.status == .ok ? .failed : error.status, outcome: .failed, path: path,
            message: message, hint: error.hint, domain: error.domain, nativeCode: error.nativeCode,
            retryable: error.retryable)
    }
}
