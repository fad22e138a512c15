import Diagnostics
import HostErrors
import Platform

/// The row of one item of an upload, a fetch or a deletion: what became of it.
public struct ItemRow: Sendable, Equatable {
    /// The item as the person wrote it: a file, or what names a book.
    public var item: String
    /// Upload and deletion: path of the book on the device. Fetch: path of the fetched local file. Nil when
    /// there is none.
    public var path: String?
    /// Its outcome.
    public var status: ItemStatus
    /// Why it failed or was skipped, and warnings of the reader app or about the file: each whole, which may be several
    /// sentences.
    public var remarks: [String]
    /// What most rows do not have: a long list of rows takes less memory without it.
    @Boxed private var rare: Rare?

    private struct Rare: Sendable, Equatable {
        var hint: String?
        var code: HostError.Code?
        var native: NativeCode?

        var isEmpty: Bool { hint == nil && code == nil && native == nil }
    }

    private subscript<Value>(rare value: WritableKeyPath<Rare, Value>) -> Value {
        get { (rare ?? Rare())[keyPath: value] }
        set {
            var values = rare ?? Rare()
            values[keyPath: value] = newValue
            rare = values.isEmpty ? nil : values
        }
    }

    /// What the person can do about it.
    public var hint: String? {
        get { self[rare: \.hint] }
        set { self[rare: \.hint] = newValue }
    }
    /// Why it failed, for programs; nil unless `status` is `failed`.
    public var code: HostError.Code? {
        get { self[rare: \.code] }
        set { self[rare: \.code] = newValue }
    }
    /// The untouched number of the layer that failed first, if it had one.
    public var native: NativeCode? {
        get { self[rare: \.native] }
        set { self[rare: \.native] = newValue }
    }

    /// A row.
    public init(
        item: String, path: String? = nil, status: ItemStatus, message: String? = nil, hint: String? = nil,
        code: HostError.Code? = nil, native: NativeCode? = nil
    ) {
        self.item = item
        self.path = path
        self.status = status
        remarks = message.map { [$0] } ?? []
        let values = Rare(hint: hint, code: code, native: native)
        if !values.isEmpty { rare = values }
    }

    /// All remarks in one text, which counts as one remark when it is set; nil without any.
    public var message: String? {
        get { remarks.isEmpty ? nil : remarks.joined(separator: " ") }
        set { remarks = newValue.map { [$0] } ?? [] }
    }

    /// The row of an item that failed with `error`.
    public init(item: String, failure error: HostError) {
        self.init(
            item: item, status: .failed, message: error.message, hint: error.hint, code: error.code,
            native: error.native)
    }
}

/// The outcome of one item; the `status` of the JSON output.
public enum ItemStatus: String, Sendable, CaseIterable {
    /// A new book is on the device.
    case added
    /// A book that was there was brought up to date.
    case updated
    /// A book that was there was replaced.
    case replaced
    /// Nothing was done; the message says why.
    case skipped
    /// The book is no longer on the device.
    case deleted
    /// A copy of the book is on this computer.
    case fetched
    /// It failed; message, hint and code say why.
    case failed
}

/// What a command about many items came to.
///
/// ```swift
/// func report(_ result: BatchResult) {
///     for row in result.rows where row.status == .failed {
///         print(row.item, row.message ?? "The book failed.")
///     }
///     if let failure = result.failure { print(failure.message) }
/// }
/// ```
public struct BatchResult: Sendable {
    /// One row per item, in the order the items were given.
    public var rows: [ItemRow]
    /// Why the command as a whole ended early (cancelled, unplugged, overlay broke …); nil if it went through, even if
    /// items failed.
    public var failure: HostError?

    /// A result.
    public init(rows: [ItemRow], failure: HostError? = nil) {
        self.rows = rows
        self.failure = failure
    }

    /// The exit status of a program that did nothing else: the failure's, else 1 if an item failed, else 0.
    public var exitStatus: ExitStatus {
        if let failure { return failure.exitStatus }
        return rows.contains { $0.status == .failed } ? .someFailed : .done
    }
}
