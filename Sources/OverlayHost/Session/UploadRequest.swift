import Publications

/// A library's metadata of a book. It overrides the metadata in the book's file and its sidecar.
package struct LibraryDescription: Sendable, Equatable {
    /// The metadata; what it does not say is nil.
    package var book: Book
    /// The file of the cover.
    package var coverFile: String?
    /// The person's own columns.
    package var columns: [PackageFile.UserColumn]
    /// Whether a sidecar beside the file counts, too.
    package var usesSidecar: Bool
    /// The name to send the file under, without folders; nil: the file's own.
    package var fileName: String?
    /// Where the book on the device is that the file replaces, under any name; nil: the reader app's overlay finds it.
    var replacedPath: String?

    /// A description of a book.
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

/// How books are uploaded.
///
/// ```swift
/// func add(_ files: [String], to session: HostSession) {
///     let result = session.upload(files, UploadRequest(onConflict: .update, collections: ["Novels"]))
///     for row in result.rows { print(row.item, row.message ?? "done") }
/// }
/// ```
public struct UploadRequest: Sendable, Equatable {
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
    /// Collections for each new book.
    public var collections: [String]
    /// The library in `cc_mappings` that the sidecars come from; nil: the only one.
    public var library: String?
    /// The UUIDs by which the library that the books come from knows them, one for each file in their order; empty: the
    /// sidecars and the files say them.
    public var uuids: [String]
    /// Whether the person has agreed to lose what they left in books that are replaced, such as highlights. Without it the
    /// row of such a book has the code `needsConsent`, and its message names what would be lost.
    public var mayLoseMarks: Bool
    /// Only check the files and look which books are there; the rows say what would become of the files.
    public var isDryRun = false
    /// The metadata of the library that the books come from, one for each file in order; empty: the sidecars
    /// and the files say it.
    package var descriptions: [LibraryDescription?] = []
    /// The name of the folder of a calibre library: what `cc_mappings` says about it counts, and of no other.
    var libraryFolder: String?
    /// Whether a sidecar that cannot be read is reported.
    var reportsSidecars = true
    /// Bytes that all covers of the upload may have together.
    var coverRoom = KnownMetadata.allCovers

    /// Options; the defaults follow the preferences and add to no collection.
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

    /// Refuses UUIDs that are not one for each file, or of another form than 8-4-4-4-12; they are in lower case afterwards.
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
