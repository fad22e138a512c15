import Libraries

/// How a source is synced to the reader app.
///
/// ```swift
/// func plan(_ folder: String, _ session: HostSession) throws -> [SyncPlanRow] {
///     try session.sync(SyncRequest(source: folder, deletes: true, isDryRun: true)).plan
/// }
/// ```
public struct SyncRequest: Sendable, Equatable {
    /// A folder of books, or the folder of a calibre library.
    public var source: String
    /// Whether books that came from the source and are gone there are removed from the device.
    public var deletes: Bool
    /// The side whose version of a book counts where both changed it; nil: such a book is left as it is.
    public var prefers: SyncPreference?
    /// Whether the source is read as files in folders also where it is, or was, a calibre library.
    public var asFolder: Bool
    /// Only plan, and change nothing on the device or on this computer.
    public var isDryRun: Bool
    /// Whether books that only the device has get a row of the plan, too.
    public var listsOthers: Bool
    /// Whether the person has agreed to lose what they left in books that are replaced or removed, such as highlights, and to
    /// remove the books of a source that is empty now; of an overlay that syncs both ways, to what it would refuse.
    public var mayLoseMarks: Bool
    /// Which books of a calibre library are wanted: `tag:TEXT`, `author:TEXT`, `series:TEXT` or `ids:FILE`; all of these.
    public var search: [String]
    /// The name of the calibre library in `cc_mappings`; nil: the name of its folder.
    public var library: String?
    /// What is wanted now, by names that the overlay knows; only of overlays that sync both ways.
    public var wanted: [String]

    /// A request; the defaults send what is new or changed and remove nothing.
    public init(
        source: String, deletes: Bool = false, prefers: SyncPreference? = nil, asFolder: Bool = false,
        isDryRun: Bool = false, listsOthers: Bool = false, mayLoseMarks: Bool = false, search: [String] = [],
        library: String? = nil, wanted: [String] = []
    ) {
        self.source = source
        self.deletes = deletes
        self.prefers = prefers
        self.asFolder = asFolder
        self.isDryRun = isDryRun
        self.listsOthers = listsOthers
        self.mayLoseMarks = mayLoseMarks
        self.search = search
        self.library = library
        self.wanted = wanted
    }
}

/// The plan of a sync, and its result.
public struct SyncResult: Sendable {
    /// The source, without symbolic links.
    public var source: String
    /// What is done with each book.
    public var plan: [SyncPlanRow]
    /// What became of the rows of the plan that do something, in their order; nil of a run that only plans.
    public var results: BatchResult?
}
