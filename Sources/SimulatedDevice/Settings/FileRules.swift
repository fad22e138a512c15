/// How the file system and the file service of a simulated device treat names, folders and open files.
///
/// The rules of `init()` are lenient; each other value is one that hosts have met on some device.
public struct FileRules: Sendable, Equatable {
    /// How a name in a request finds a name in a folder.
    public enum Names: String, Sendable, CaseIterable {
        /// Byte for byte, as on iOS 10.3.
        case exact
        /// By canonical equivalence; a new name is kept as it is written (APFS since iOS 11).
        case equivalent
        /// By canonical equivalence; names are kept and listed decomposed (HFS+, before iOS 10.3).
        case decomposed
    }

    /// How a name finds its file.
    public var names = Names.exact
    /// How many files may be open at once, all connections together, before FILE_OPEN answers 3 (no resources); nil for
    /// no limit but that of each connection.
    public var openFileLimit: Int?
    /// Whether MAKE_DIR makes one folder at a time: it answers 10 for a folder that exists, and 8 where the parent is missing.
    public var refusesExistingFolders = false
    /// Whether RENAME_PATH replaces what has the new name; if not, it answers 16.
    public var renameReplaces = true
    /// The status that RENAME_PATH answers when a folder is to get the name of a file: 16, or 8 on some devices.
    public var folderOntoFileStatus: UInt64 = 16
    /// Whether entries of an app's container itself can be made, renamed and removed; if not, these requests answer 10.
    public var hasWritableContainerRoot = true
    /// Folders, by their paths in a container or in the media folder, that hold a file with a name that is not UTF-8.
    ///
    /// The file is made when the rules take effect, in each app's container and in the media folder, where the folder exists.
    public var foldersWithUndecodableNames: [String] = []

    /// The lenient rules.
    public init() {}
}
