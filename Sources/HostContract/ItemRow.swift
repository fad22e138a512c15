import Diagnostics
import HostErrors
import Platform

/// The result of one item of an upload, a fetch or a deletion.
///
/// ```swift
/// func rate(_ path: String, in session: HostSession) {
///     let row = session.update(path, BookChanges(rating: 5))
///     print(row.item, row.path ?? "", row.message ?? "done", row.hint ?? "")
/// }
/// ```
public struct ItemRow: Sendable, Equatable {
    /// The item as given by the user: a file, or a name of a book.
    public var item: String
    /// For upload and deletion: the path of the book on the device. For fetch: the path of the local file. Nil if
    /// there is none.
    public var path: String?
    /// The outcome.
    public var status: ItemStatus
    /// The reason for a failure or for skipping, and warnings of the reader app or about the file. Each remark is
    /// complete, and may consist of several sentences.
    public var remarks: [String]
    /// Values that most rows do not have. Stored separately to save memory in a long list.
    @Boxed private var rare: Rare?

    private struct Rare: Sendable, Equatable {
        var hint: String?
        var hintCode: HintCode?
        var code: HostError.Code?
        var native: NativeCode?

        var isEmpty: Bool { hint == nil && hintCode == nil && code == nil && native == nil }
    }

    private subscript<Value>(rare value: WritableKeyPath<Rare, Value>) -> Value {
        get { (rare ?? Rare())[keyPath: value] }
        set {
            var values = rare ?? Rare()
            values[keyPath: value] = newValue
            rare = values.isEmpty ? nil : values
        }
    }

    /// What the user can do about it.
    public var hint: String? {
        get { self[rare: \.hint] }
        set { self[rare: \.hint] = newValue }
    }
    /// The kind of help that `hint` gives.
    public var hintCode: HintCode? {
        get { self[rare: \.hintCode] }
        set { self[rare: \.hintCode] = newValue }
    }
    /// The code of the failure for programs; nil unless `status` is `failed`.
    public var code: HostError.Code? {
        get { self[rare: \.code] }
        set { self[rare: \.code] = newValue }
    }
    /// The unchanged number of the layer that failed first; nil if there is none.
    public var native: NativeCode? {
        get { self[rare: \.native] }
        set { self[rare: \.native] = newValue }
    }

    /// Creates a row.
    public init(
        item: String, path: String? = nil, status: ItemStatus, message: String? = nil, hint: String? = nil,
        hintCode: HintCode? = nil, code: HostError.Code? = nil, native: NativeCode? = nil
    ) {
        self.item = item
        self.path = path
        self.status = status
        remarks = message.map { [$0] } ?? []
        let values = Rare(hint: hint, hintCode: hintCode, code: code, native: native)
        if !values.isEmpty { rare = values }
    }

    /// All remarks as one text; nil if there are none. Setting it replaces them by one remark.
    public var message: String? {
        get { remarks.isEmpty ? nil : remarks.joined(separator: " ") }
        set { remarks = newValue.map { [$0] } ?? [] }
    }

    /// Creates the row of an item that failed with `error`.
    public init(item: String, failure error: HostError) {
        self.init(
            item: item, status: .failed, message: error.message, hint: error.hint, hintCode: error.hintCode,
            code: error.code, native: error.native)
    }
}

/// The outcome of an item, which is the `status` in the JSON output.
///
/// ```swift
/// func summary(_ result: BatchResult) {
///     for status in ItemStatus.allCases {
///         let count = result.rows.count { $0.status == status }
///         if count > 0 { print(status.rawValue, count) }
///     }
/// }
/// ```
public enum ItemStatus: String, Sendable, CaseIterable {
    /// A new book is on the device.
    case added
    /// An existing book was updated.
    case updated
    /// An existing book was replaced.
    case replaced
    /// Nothing was done; the message contains the reason.
    case skipped
    /// The book is no longer on the device.
    case deleted
    /// A copy of the book is on the host.
    case fetched
    /// The item failed; message, hint and code explain this.
    case failed
}

/// The result of a command for several items.
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
    /// One row for each item, in the order of the items.
    public var rows: [ItemRow]
    /// The error if the command ended early (cancelled, unplugged, overlay crashed …); nil otherwise, even if items
    /// failed.
    public var failure: HostError?

    /// Creates a result.
    public init(rows: [ItemRow], failure: HostError? = nil) {
        self.rows = rows
        self.failure = failure
    }

    /// The exit status for a program that only runs this command: that of the failure, or 1 if an item failed, or 0.
    public var exitStatus: ExitStatus {
        if let failure { return failure.exitStatus }
        return rows.contains { $0.status == .failed } ? .someFailed : .done
    }
}
