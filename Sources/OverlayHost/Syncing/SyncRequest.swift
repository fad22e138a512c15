import Libraries

/// The options of a sync.
///
/// ```swift
/// func plan(_ folder: String, _ session: HostSession) throws -> [SyncPlanRow] {
///     try session.sync(SyncRequest(source: folder, deletes: true, isDryRun: true)).plan
/// }
/// ```
public struct SyncRequest: Sendable, Equatable {
    /// A folder of books, or the folder of a calibre library; nil: the folder that a preference of the overlay names.
    public var source: String?
    /// Whether to remove books from the device that came from the source and are gone there.
    public var deletes: Bool
    /// How many books the sync may remove; nil: any number with `mayLoseMarks`, otherwise twenty, or if that is more, a
    /// quarter of the books that came from the source, and none if the source is empty. If more books are gone, none is
    /// removed.
    public var mostRemovals: Int?
    /// The side whose version of a book is used if both changed it; nil to leave such a book unchanged.
    public var prefers: SyncPreference?
    /// Whether to read the source as files in folders even if it is, or was, a calibre library.
    public var asFolder: Bool
    /// Whether to only plan, without changes on the device or the host.
    public var isDryRun: Bool
    /// Whether the plan also contains rows for books that are only on the device.
    public var listsOthers: Bool
    /// Whether the user has agreed to all that a sync would ask: the loss of annotations, such as highlights, in books
    /// that are replaced or removed, an empty source, and any number of removals unless `mostRemovals` limits it. For an
    /// overlay that syncs both ways, whether the user has agreed to changes that it would refuse.
    public var mayLoseMarks: Bool
    /// Selects books of a calibre library: `tag:TEXT`, `author:TEXT`, `series:TEXT` or `ids:FILE`. All conditions
    /// must be met.
    public var search: [String]
    /// The name of the calibre library in `cc_mappings`; nil for the name of its folder.
    public var library: String?
    /// The requested changes, by names that the overlay knows. Only for overlays that sync both ways.
    public var wanted: [String]

    /// The number of removals that the user has confirmed; nil if there is none.
    var confirmedRemovals: Int? { mostRemovals ?? (mayLoseMarks ? .max : nil) }

    /// Whether the two sides are only compared, as `diff` does. An empty source is not refused then.
    var isComparison: Bool { isDryRun && listsOthers }

    /// Creates a request. The defaults send new and changed books, and do not remove any.
    public init(
        source: String? = nil, deletes: Bool = false, mostRemovals: Int? = nil,
        prefers: SyncPreference? = nil, asFolder: Bool = false,
        isDryRun: Bool = false, listsOthers: Bool = false, mayLoseMarks: Bool = false, search: [String] = [],
        library: String? = nil, wanted: [String] = []
    ) {
        self.source = source
        self.deletes = deletes
        self.mostRemovals = mostRemovals
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

/// The plan of a sync and its result.
///
/// ```swift
/// func sync(_ folder: String, with session: HostSession) throws {
///     let result = try session.sync(SyncRequest(source: folder))
///     print(result.plan.count { $0.action == .conflict }, "conflicts")
///     for row in result.results?.rows ?? [] where row.status == .failed { print(row.item, row.message ?? "") }
/// }
/// ```
public struct SyncResult: Sendable {
    /// The source, without symbolic links.
    public var source: String
    /// The action for each book.
    public var plan: [SyncPlanRow]
    /// The results for the rows of the plan that change something, in their order; nil for a dry run.
    public var results: BatchResult?
    /// Whether the overlay synced the folder both ways, and decided conflicts by its own rules.
    public var isTwoWay = false
}
