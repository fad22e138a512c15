/// How books are uploaded.
public struct UploadOptions: Sendable, Equatable {
    /// What to do with a book that is already there; the words of `--on-conflict`.
    public enum Conflict: String, Sendable, CaseIterable {
        /// Leave it alone.
        case protect
        /// Update its metadata.
        case update
        /// Replace it.
        case replace
    }

    /// What to do with a book that is already there; nil: what the preferences say.
    public var onConflict: Conflict?
    /// Collections each new book shall be in.
    public var collections: [String]
    /// The library in `cc_mappings` whose columns the sidecars have; nil: the only one there is.
    public var library: String?
    /// Bytes that all covers of the upload may have together.
    var coverRoom = KnownMetadata.allCovers

    /// Options; the defaults follow the preferences and add to no collection.
    public init(onConflict: Conflict? = nil, collections: [String] = [], library: String? = nil) {
        self.onConflict = onConflict
        self.collections = collections
        self.library = library
    }
}
