import Publications

/// A library's metadata of a book. Overrides the metadata in the book's file and its sidecar.
package struct LibraryDescription: Sendable, Equatable {
    /// The metadata; nil for missing values.
    package var book: Book
    /// The path of the cover.
    package var coverFile: String?
    /// The library's custom columns.
    package var columns: [PackageFile.UserColumn]
    /// Whether a sidecar beside the file is also used.
    package var usesSidecar: Bool
    /// The name under which the file is sent, without folders; nil for the file's own name.
    package var fileName: String?
    /// The path of the book on the device that the file replaces, under any name; nil to let the overlay find it.
    var replacedPath: String?

    /// Creates a description.
    package init(
        book: Book, coverFile: String? = nil, columns: [PackageFile.UserColumn] = [],
        usesSidecar: Bool = false, fileName: String? = nil
    ) {
        self.book = book
        self.coverFile = coverFile
        self.columns = columns
        self.usesSidecar = usesSidecar
        self.fileName = fileName
    }
}

/// The options of an upload.
///
/// ```swift
/// func add(_ files: [String], to session: HostSession) {
///     let result = session.upload(files, UploadRequest(onConflict: .update, collections: ["Novels"]))
///     for row in result.rows { print(row.item, row.message ?? "done") }
/// }
/// ```
public struct UploadRequest: Sendable, Equatable {
    /// The behaviour for a book that is already on the device; the values of `--on-conflict`.
    public enum Conflict: String, Sendable, CaseIterable {
        /// Keep the book unchanged.
        case protect
        /// Update the metadata of the book.
        case update
        /// Replace the book.
        case replace
    }

    /// The behaviour for a book that is already on the device; nil to use the preferences.
    public var onConflict: Conflict?
    /// The collections for each new book.
    public var collections: [String]
    /// The library of the sidecars in `cc_mappings`; nil for the only one.
    public var library: String?
    /// The UUIDs of the books in their library, one for each file in order; empty to use those in the sidecars and
    /// files.
    public var uuids: [String]
    /// Whether the user has agreed to lose annotations, such as highlights, in books that are replaced. Without this,
    /// the row of such a book has the code `needsConsent`, and its message describes the loss.
    public var mayLoseMarks: Bool
    /// Whether to only check the files and find existing books. The rows then show the expected results.
    public var isDryRun = false
    /// The library's metadata of the books, one for each file in order; empty to use the metadata in the sidecars and
    /// files.
    package var descriptions: [LibraryDescription?] = []
    /// The name of the folder of a calibre library. Only its entry in `cc_mappings` is used.
    var libraryFolder: String?
    /// Whether to report a sidecar that cannot be read.
    var reportsSidecars = true
    /// The largest total size of the upload's covers, in bytes.
    var coverRoom = KnownMetadata.allCovers

    /// Creates options. The defaults follow the preferences and do not add books to collections.
    public init(
        onConflict: Conflict? = nil, collections: [String] = [], library: String? = nil, uuids: [String] = [],
        mayLoseMarks: Bool = false
    ) {
        self.onConflict = onConflict
        self.collections = collections
        self.library = library
        self.uuids = uuids
        self.mayLoseMarks = mayLoseMarks
    }

    /// Checks that there is one UUID in the form 8-4-4-4-12 for each file, and converts the UUIDs to lower case.
    package mutating func checkUUIDs(of files: [String]) throws(HostError) {
        guard !uuids.isEmpty else { return }
        guard uuids.count == files.count else {
            throw HostError(
                .invalidArgument, "The number of uuids does not match the number of files.",
                hint: files.count == 1
                    ? "Give one uuid, or none."
                    : "Give \(files.count) uuids in the order of the files, or none.")
        }
        for (place, uuid) in uuids.enumerated() {
            guard let canonical = PublicationIdentifier.canonicalUUID(uuid) else {
                throw HostError(
                    .invalidArgument, "A uuid has the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.",
                    subject: uuid)
            }
            uuids[place] = canonical
        }
    }
}
