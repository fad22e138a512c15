import Libraries

/// How the books of a reader app are backed up.
///
/// ```swift
/// func backUp(_ session: HostSession, in folder: String) throws {
///     let result = try session.backup(BackupRequest(folder: folder, repairs: true))
///     print(result.folder, result.results?.failure?.message ?? "done")
/// }
/// ```
public struct BackupRequest: Sendable {
    /// The folder of all backups; made if it is not there.
    public var folder: String
    /// Only plan, and change nothing on this computer.
    public var isDryRun: Bool
    /// Whether every copy is read before, and a damaged one is copied again.
    public var repairs: Bool
    /// Writes down what a person left in a book, as Markdown and as JSON; nil: that is not backed up. Any thread.
    public var annotations:
        (@Sendable (_ book: BookRecord, _ app: String) -> (markdown: String, json: String))?

    /// A request.
    public init(
        folder: String, isDryRun: Bool = false, repairs: Bool = false,
        annotations: (@Sendable (_ book: BookRecord, _ app: String) -> (markdown: String, json: String))? =
            nil
    ) {
        (self.folder, self.isDryRun, self.repairs) = (folder, isDryRun, repairs)
        self.annotations = annotations
    }
}

/// The plan of a backup, and its result.
public struct BackupResult: Sendable {
    /// The folder of the app in the folder of all backups.
    public var folder: String
    /// What is done with each book.
    public var plan: [BackupPlanRow]
    /// What became of the books that are fetched or updated, in their order; nil of a run that only plans.
    public var results: BatchResult?
}
