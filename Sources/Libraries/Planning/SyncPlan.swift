import BookModel
import HostErrors
import OverlayBridge
import Platform

/// What a sync does with one book.
public enum SyncAction: String, Sendable, CaseIterable {
    /// Sends a book that is not on the device.
    case add
    /// Changes metadata on the device without sending the file.
    case update
    /// Sends a file in the place of the one on the device.
    case replace
    /// Removes a book from the device that came from the source and is gone there.
    case remove
    /// Leaves the book as it is.
    case keep
    /// Leaves the book as it is although source and device differ, because the app changed its copy.
    case conflict
    /// Leaves a book of the source out, because the app takes none of its formats.
    case unsupported
    /// Says that the source knows nothing of a book on the device; only where that is asked for.
    case onlyOnDevice = "only_on_device"
}

/// Whose version of a book counts where source and app both changed it.
public enum SyncPreference: String, Sendable, CaseIterable {
    /// The source's: it takes the place of the app's copy.
    case source
    /// The device's: the app's copy stays, and counts as agreed from then on.
    case device
}

/// Which side a row of a sync that goes both ways changes.
public enum SyncSide: String, Sendable, CaseIterable {
    /// The device.
    case device
    /// The source on this computer.
    case source
    /// Both.
    case both
}

/// One row of the plan of a sync.
public struct SyncPlanRow: Sendable, Equatable {
    /// What is done.
    public var action: SyncAction
    /// Where the book is in the source; of one that is gone, where it was; nil where only the device has it.
    public var item: String?
    /// Where it is on the device; nil if it is not there.
    public var path: String?
    /// Why, one sentence; nil where the action says it all.
    public var reason: String?
    /// Bytes that are sent.
    public var bytes: UInt64
    /// The values of both sides, in lines; only from overlays that sync both ways.
    public var details: String?
    /// What is changed; nil where nothing is, and where only the device ever is.
    public var changes: SyncSide?
    /// Whether a person should read why it is kept.
    public var isNotable = false

    /// A row.
    public init(
        _ action: SyncAction, item: String?, path: String? = nil, reason: String? = nil, bytes: UInt64 = 0
    ) {
        (self.action, self.item, self.path, self.reason, self.bytes) = (action, item, path, reason, bytes)
    }
}

/// A book of the source, with what is known of its content.
package struct SourceBook: Sendable {
    /// Where it is.
    package var entry: SourceEntry
    /// Identifies its content; nil if it is not known.
    package var contentID: String?
    /// Its metadata; nil: unchanged since it was agreed on.
    package var book: Book? {
        get { kept?.book }
        set { kept = newValue.map { CompactBook($0) } }
    }
    private var kept: CompactBook?
    /// The media type of its file; nil if it is not known.
    package var format: String?
    /// Why it cannot be read.
    @Boxed package var problem: HostError?

    package init(
        _ entry: SourceEntry, contentID: String? = nil, book: Book? = nil, format: String? = nil,
        problem: HostError? = nil
    ) {
        (self.entry, self.contentID, self.format) = (entry, contentID, format)
        kept = book.map { CompactBook($0) }
        self.problem = problem ?? entry.problem
    }
}

extension UnsupportedBook {
    /// The row of the plan that names it.
    package func row(_ app: String) -> SyncPlanRow {
        SyncPlanRow(
            .unsupported, item: item,
            reason: "None of its formats can be synced to \(app): "
                + "\(formats.map { $0.uppercased() }.joined(separator: ", ")).")
    }
}

/// A row of the plan, and what carrying it out needs.
package struct SyncStep: Sendable {
    /// The row.
    package var row: SyncPlanRow
    /// The place of the book in the source's list; nil for a book that is gone.
    package var source: Int?
    /// The place of the book in the device's list.
    package var device: Int?
    /// What an update changes.
    @Boxed package var changes: Book?
    /// Whether an update sets the cover, too.
    package var changesCover = false
    /// Whether it gives the source's book the place of a copy that the app changed: until it is done, the conflict is open.
    package var decidesConflict = false
    /// The earlier step whose book this one is, too.
    package var twin: Int?
    /// The baseline before the step; nil if there was none.
    package var before: SyncRecord?
    /// The baseline after the step; nil if it is removed.
    package var after: SyncRecord?
}

/// What a sync may do, and with which app.
package struct SyncPolicy: Sendable {
    /// The app's name, for reasons.
    package var app: String
    /// Whether books that are gone from the source are removed.
    package var deletes: Bool
    /// Whose version counts where both changed; nil: nothing is done.
    package var prefers: SyncPreference?
    /// The words of what the app can change of a book.
    package var settable: Set<String>
    /// Whether the app's copy of a cover can be set.
    package var setsCovers: Bool
    /// Whether books that only the device has get a row.
    package var listsOthers: Bool

    package init(
        app: String, deletes: Bool = false, prefers: SyncPreference? = nil, settable: Set<String> = [],
        setsCovers: Bool = false, listsOthers: Bool = false
    ) {
        (self.app, self.deletes, self.prefers, self.settable) = (app, deletes, prefers, settable)
        (self.setsCovers, self.listsOthers) = (setsCovers, listsOthers)
    }
}
