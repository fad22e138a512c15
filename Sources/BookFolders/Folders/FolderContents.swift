/// What a walk has found below a folder.
public struct FolderContents: Sendable {
    /// The files and packages, by path.
    public var files: [FoundFile] = []
    /// The folders, without those within packages.
    public var folders: [ShelfPath] = []
    /// Partial files, which only the host names: of a command that is being carried out, or was interrupted.
    var partialFiles: [ShelfPath] = []
    /// What was left out and why: one sentence each.
    public var remarks: [String] = []

    /// Nothing.
    public init() {}
}
