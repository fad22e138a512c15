/// What a change to the booklist does on a shelf.
public struct ShelfEdits: Hashable, Sendable {
    /// Whether a new title becomes the file's new name.
    public var titleRenamesFile: Bool
    /// Whether a new collection becomes the file's new folder.
    public var collectionMovesFile: Bool
    /// Whether new authors are kept, on the host.
    public var keepsAuthors: Bool

    /// What edits do.
    public init(titleRenamesFile: Bool, collectionMovesFile: Bool, keepsAuthors: Bool) {
        self.titleRenamesFile = titleRenamesFile
        self.collectionMovesFile = collectionMovesFile
        self.keepsAuthors = keepsAuthors
    }
}
