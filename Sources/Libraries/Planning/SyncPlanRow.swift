import BookModel
import HostErrors
import OverlayBridge
import Platform

/// The action of a sync for one book.
///
/// ```swift
/// func keepsEveryFile(_ plan: [SyncPlanRow]) -> Bool {
///     let losses: Set<SyncAction> = [.replace, .remove]
///     return plan.allSatisfy { !losses.contains($0.action) }
/// }
/// ```
public enum SyncAction: String, Sendable, CaseIterable {
    /// Sends a book that is not on the device.
    case add
    /// Changes metadata on the device without sending the file.
    case update
    /// Replaces the file on the device.
    case replace
    /// Removes a book from the device that was sent from the source and is no longer there.
    case remove
    /// Leaves the book unchanged.
    case keep
    /// Leaves the book unchanged although source and device differ, because the app changed its copy.
    case conflict
    /// Omits a book of the source, because the app does not support its formats.
    case unsupported
    /// Reports a book that is only on the device. Used only on request.
    case onlyOnDevice = "only_on_device"
}

/// Which version of a book is used if source and app both changed it.
///
/// ```swift
/// func sync(_ folder: String, with session: HostSession, keepsDevice: Bool) throws -> SyncResult {
///     let preference: SyncPreference = keepsDevice ? .device : .source
///     return try session.sync(SyncRequest(source: folder, prefers: preference))
/// }
/// ```
public enum SyncPreference: String, Sendable, CaseIterable {
    /// The version of the source, which replaces the app's copy.
    case source
    /// The version of the app, which remains and counts as synced from then on.
    case device
}

/// The side that a row of a two-way sync changes.
///
/// ```swift
/// func changesSource(_ plan: [SyncPlanRow]) -> Bool {
///     let sides: Set<SyncSide> = [.source, .both]
///     return plan.contains { row in row.changes.map(sides.contains) ?? false }
/// }
/// ```
public enum SyncSide: String, Sendable, CaseIterable {
    /// The device.
    case device
    /// The source on the host.
    case source
    /// Both.
    case both
}

/// One row of the plan of a sync.
///
/// ```swift
/// func show(_ plan: [SyncPlanRow]) {
///     for row in plan where row.action != .keep {
///         print(row.action.rawValue, row.item ?? row.path ?? "", row.bytes, row.reason ?? "")
///     }
/// }
/// ```
public struct SyncPlanRow: Sendable, Equatable {
    /// The action.
    public var action: SyncAction
    /// The path in the source; the last known one if the book is gone; nil if the book is only on the device.
    public var item: String?
    /// The path on the device; nil if the book is not there.
    public var path: String?
    /// The reason, as one sentence; nil if the action needs none.
    public var reason: String?
    /// The number of bytes to send.
    public var bytes: UInt64
    /// The values of both sides, in lines. Only from overlays that sync both ways.
    public var details: String? {
        get { texts?.details }
        set { texts = Texts(newValue, title) }
    }
    /// The side that is changed; nil if nothing is changed, or for a sync that only changes the device.
    public var changes: SyncSide?
    /// The title of a book that is only on the device; nil if it has none, and in all other rows.
    public var title: String? {
        get { texts?.title }
        set { texts = Texts(details, newValue) }
    }
    @Boxed private var texts: Texts?
    /// Whether the book is kept on the device although it is gone from the source.
    public var isGone = false
    /// Whether the user should read the reason for which the book is kept.
    public var isNotable = false
    /// Whether the book is kept because another book of the source is the same.
    public var isDuplicate = false
    /// Whether the book cannot be synced; `reason` says why. The sync then ends as if it had failed.
    public var fails = false

    private struct Texts: Equatable {
        var details: String?
        var title: String?

        /// Nil without texts, so that rows with the same values are equal.
        init?(_ details: String?, _ title: String?) {
            guard details != nil || title != nil else { return nil }
            (self.details, self.title) = (details, title)
        }
    }

    /// Creates a row.
    public init(
        _ action: SyncAction, item: String?, path: String? = nil, reason: String? = nil, bytes: UInt64 = 0
    ) {
        (self.action, self.item, self.path, self.reason, self.bytes) = (action, item, path, reason, bytes)
    }
}

/// A book of the source, with an identifier of its content.
package struct SourceBook: Sendable {
    /// The entry of the book.
    package var entry: SourceEntry
    /// The identifier of the content; nil if unknown.
    package var contentID: String?
    /// The metadata; nil if it is unchanged since the last sync.
    package var book: Book? {
        get { kept?.book }
        set { kept = newValue.map { CompactBook($0) } }
    }
    private var kept: CompactBook?
    /// The media type of the file; nil if unknown.
    package var format: String?
    /// The reason why the book cannot be read.
    package var problem: HostError?

    package init(
        _ entry: SourceEntry, contentID: String? = nil, book: Book? = nil, format: String? = nil,
        problem: HostError? = nil
    ) {
        (self.entry, self.contentID, self.format) = (entry, contentID, format)
        kept = book.map { CompactBook($0) }
        self.problem = problem ?? entry.problem
    }

    /// Releases the memory of the metadata, when the device has it.
    package mutating func releaseMetadata() {
        book = nil
        entry.book = nil
        entry.columns = []
    }
}

extension SyncPolicy {
    /// The beginning of a sentence about a copy that changed on the device since the last sync.
    ///
    /// - Parameter differences: what changed, in the words of ``DeviceCopy``.
    func copyChanged(_ differences: [String]) -> String {
        "The copy in \(app) changed (\(differences.joined(separator: ", ")))"
    }
}

extension UnsupportedBook {
    /// The row of the plan for this book.
    package func row(_ app: String) -> SyncPlanRow {
        SyncPlanRow(
            .unsupported, item: item,
            reason: "None of its formats can be synced to \(app): "
                + "\(formats.map { $0.uppercased() }.joined(separator: ", ")).")
    }
}

/// A row of the plan, with the values needed to carry it out.
package struct SyncStep: Sendable {
    /// The row.
    package var row: SyncPlanRow
    /// The index of the book in the source's list; nil for a book that is gone.
    package var source: Int?
    /// The index of the book in the device's list.
    package var device: Int?
    /// The metadata that an update changes.
    @Boxed package var changes: Book?
    /// Whether an update also sets the cover.
    package var changesCover = false
    /// Whether the step replaces a copy that the app changed with the source's book. Until this is done, the conflict
    /// remains open.
    package var decidesConflict = false
    /// The index of the earlier step for the same book.
    package var twin: Int?
    /// The record before the step; nil if there was none.
    package var before: SyncRecord?
    /// The record after the step; nil if the record is removed.
    package var after: SyncRecord?
}

/// The permissions of a sync, and the capabilities of its app.
package struct SyncPolicy: Sendable {
    /// The name of the app, for reasons.
    package var app: String
    /// Whether books that are gone from the source are removed.
    package var deletes: Bool
    /// The version to use if both sides changed; nil to leave such books unchanged.
    package var prefers: SyncPreference?
    /// The words for the metadata that the app can change.
    package var settable: Set<String>
    /// Whether the app can change covers.
    package var setsCovers: Bool
    /// Whether books that are only on the device get a row.
    package var listsOthers: Bool
    /// Whether the keys of books are paths of files, so that another book may take one.
    package var keysAreNames: Bool

    package init(
        app: String, deletes: Bool = false, prefers: SyncPreference? = nil, settable: Set<String> = [],
        setsCovers: Bool = false, listsOthers: Bool = false, keysAreNames: Bool = true
    ) {
        (self.app, self.deletes, self.prefers, self.settable) = (app, deletes, prefers, settable)
        (self.setsCovers, self.listsOthers, self.keysAreNames) = (setsCovers, listsOthers, keysAreNames)
    }
}
