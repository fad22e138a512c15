import Libraries
import Platform

/// The options of a backup.
///
/// ```swift
/// func backUp(_ session: HostSession, in folder: String) throws {
///     let result = try session.backup(BackupRequest(folder: folder, repairs: true))
///     print(result.folder, result.results?.failure?.message ?? "done")
/// }
/// ```
public struct BackupRequest: Sendable {
    /// The folder of all backups; created if it does not exist.
    public var folder: String
    /// Whether to only plan the backup, without changes on the host.
    public var isDryRun: Bool
    /// Whether to check every copy first, and to replace damaged ones.
    public var repairs: Bool
    /// Formats the user's annotations of a book as Markdown and as JSON; nil to write none and keep those in the
    /// backup. Called on any thread.
    public var annotations:
        (@Sendable (_ book: BookRecord, _ app: String) -> (markdown: String, json: String))?

    /// Creates a request.
    public init(
        folder: String, isDryRun: Bool = false, repairs: Bool = false,
        annotations: (@Sendable (_ book: BookRecord, _ app: String) -> (markdown: String, json: String))? =
            nil
    ) {
        (self.folder, self.isDryRun, self.repairs) = (folder, isDryRun, repairs)
        self.annotations = annotations
    }

    /// Checks the folder before a device is opened. A backup checks it too.
    ///
    /// - Throws: `invalidArgument` if the folder is that of one device or app in a backup.
    public func checkFolder() throws(HostError) {
        guard let whole = BackupFolder.wholeBackup(containing: folder) else { return }
        throw HostError(
            .invalidArgument, "This is the folder of one device or app in a backup.", subject: folder,
            hint: "Give the folder of the whole backup: \(whole.shellWord)")
    }
}

/// The plan of a backup and its result.
///
/// ```swift
/// func summary(_ result: BackupResult) -> String {
///     let gone = result.plan.count { $0.action == .gone }
///     let failed = result.results?.rows.count { $0.status == .failed } ?? 0
///     return "\(result.folder): \(failed) books failed, and \(gone) are no longer on the device."
/// }
/// ```
public struct BackupResult: Sendable {
    /// The folder of the app in the folder of all backups.
    public var folder: String
    /// The action for each book.
    public var plan: [BackupPlanRow]
    /// The results for the fetched and updated books, in their order; nil for a dry run.
    public var results: BatchResult?
    /// Why the annotations on the device could not be read, so that those in the backup were kept as they are; nil if
    /// they could.
    public var unreadAnnotations: HostError?
}
