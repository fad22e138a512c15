/// How the file system and the file service of a simulated device treat names, folders and open files.
///
/// The rules of `init()` are lenient. Each other value was observed on some device.
public struct FileRules: Sendable, Equatable {
    /// How a name in a request matches a name in a folder.
    public enum Names: String, Sendable, CaseIterable {
        /// By bytes, as on iOS 10.3.
        case exact
        /// By canonical equivalence; a new name is stored as written (APFS since iOS 11).
        case equivalent
        /// By canonical equivalence; names are stored and listed in decomposed form (HFS+, before iOS 10.3).
        case decomposed
    }

    /// How a name matches a file.
    public var names = Names.exact
    /// The number of files that may be open at once on all connections together. Beyond it, FILE_OPEN answers 3 (no
    /// resources); nil for no limit other than that of each connection.
    public var openFileLimit: Int?
    /// Whether MAKE_DIR creates one folder at a time. If so, it answers 10 for an existing folder, and 8 if the
    /// parent is missing.
    public var refusesExistingFolders = false
    /// Whether RENAME_PATH replaces an object that has the new name. If false, it answers 16.
    public var renameReplaces = true
    /// The status that RENAME_PATH answers if a folder would replace a file: 16, or 8 on some devices.
    public var folderOntoFileStatus: UInt64 = 16
    /// Whether entries directly in an app's container can be created, renamed and removed. If false, these requests
    /// answer 10.
    public var hasWritableContainerRoot = true
    /// Folders that contain a file whose name is not UTF-8, by their paths in a container or in the media folder.
    ///
    /// The files are created when the rules take effect, in each app's container and in the media folder, if the
    /// folder exists.
    public var foldersWithUndecodableNames: [String] = []

    /// Creates the lenient rules.
    public init() {}
}
