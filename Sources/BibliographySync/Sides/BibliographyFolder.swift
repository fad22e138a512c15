/// A file or folder in a listing.
public struct BibliographyFile: Sendable, Equatable {
    /// The kind of a directory entry.
    public enum Kind: Sendable, Equatable {
        case file
        case folder
        /// A symbolic link, which is neither read nor followed.
        case link
        /// A device or anything else, which is not read.
        case other
    }

    /// Its name in its folder.
    public var name: String
    /// Its kind.
    public var kind: Kind
    /// Its size in bytes.
    public var size: UInt64
    /// When it was last changed, in nanoseconds since 1970.
    public var modified: Int64
    /// An opaque version, which changes whenever the file does.
    public var stamp: String

    /// Creates the description of a file in a listing.
    public init(name: String, kind: Kind = .file, size: UInt64, modified: Int64, stamp: String) {
        (self.name, self.kind, self.size) = (name, kind, size)
        (self.modified, self.stamp) = (modified, stamp)
    }
}

/// One side of a sync: the folder that the user named, or the app's container.
///
/// Paths are relative, with `/` between names; the empty path is the folder itself. Links are never followed. The
/// engine calls one function at a time, on its own thread.
public protocol BibliographyFolder {
    /// Lists a folder without its subfolders' content. Throws `.notFound` if the folder does not exist.
    func list(_ folder: String) throws(BibliographySyncError) -> [BibliographyFile]

    /// The file at a path; nil if there is none.
    func stat(_ path: String) throws(BibliographySyncError) -> BibliographyFile?

    /// The bytes in a range of a file; fewer at its end.
    func read(_ path: String, _ range: Range<UInt64>) throws(BibliographySyncError) -> [UInt8]

    /// Replaces the content of a file atomically, and creates the folders it needs.
    ///
    /// - Parameter path: the file.
    /// - Parameter bytes: the new content.
    /// - Parameter stamp: the stamp of the file to replace; nil means that it must not exist.
    /// - Returns: the file after the change.
    /// - Throws: `.changed` if the file has another stamp, is missing, or exists unexpectedly; nothing was done.
    func replace(_ path: String, _ bytes: [UInt8], expecting stamp: String?) throws(BibliographySyncError)
        -> BibliographyFile

    /// Removes a file: the host moves it to the trash, the device deletes it. Throws `.changed` as `replace` does.
    func remove(_ path: String, expecting stamp: String) throws(BibliographySyncError)

    /// The SHA-256 of a file in hexadecimal.
    func digest(_ path: String) throws(BibliographySyncError) -> String
}

/// A paper on both sides after it was copied.
public struct CopiedPaper: Sendable, Equatable {
    /// Its size in bytes.
    public var size: UInt64
    /// The SHA-256 of its bytes in hexadecimal.
    public var digest: String
    /// Its stamp in the host's folder.
    public var hostStamp: String
    /// Its stamp on the device.
    public var deviceStamp: String

    /// Creates the description of a copied paper with these values.
    public init(size: UInt64, digest: String, hostStamp: String, deviceStamp: String) {
        (self.size, self.digest, self.hostStamp, self.deviceStamp) = (size, digest, hostStamp, deviceStamp)
    }
}

/// A paper to copy to the other side.
public struct PaperCopy: Sendable, Equatable {
    /// Its path on the side from which it is copied.
    public var source: String
    /// Its path on the other side.
    public var target: String
    /// The stamp of the file to replace there; nil means that it must not exist.
    public var replaced: String?

    /// Creates the description of a paper to copy.
    public init(_ source: String, to target: String, replacing replaced: String?) {
        (self.source, self.target, self.replaced) = (source, target, replaced)
    }
}

/// The result of copying a paper.
public typealias PaperResult = Result<CopiedPaper, BibliographySyncError>

/// Copies files between the sides, so that the engine does not handle their bytes.
///
/// A copy is staged and then renamed, so a file is either whole or missing. The functions return one result for each
/// paper, in order: `.changed` if the target file has changed. A cancel ends them after a paper; the remaining papers
/// then have the error as their result. They throw only if nothing was copied.
public protocol PaperCopier {
    /// Copies a bibliography from the host to the device unchanged, with its modification time, and verifies the
    /// copy.
    ///
    /// - Parameter copy: the bibliography.
    /// - Parameter stamp: the stamp that the host's file must have.
    /// - Returns: the file on the device.
    /// - Throws: `.changed` if one of the files has changed.
    func sendLibrary(
        _ copy: PaperCopy, expecting stamp: String
    ) throws(BibliographySyncError) -> BibliographyFile

    /// Copies papers from the host to the device, with their modification times.
    ///
    /// - Parameter papers: the papers.
    /// - Parameter progress: receives the place of a paper and how many bytes of it were copied since its last call;
    ///   throws to cancel.
    func send(
        _ papers: [PaperCopy], progress: (Int, UInt64) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) -> [PaperResult]

    /// Copies papers from the device to the host.
    ///
    /// - Parameter papers: the papers.
    /// - Parameter progress: receives the place of a paper and how many bytes of it were copied since its last call;
    ///   throws to cancel.
    func fetch(
        _ papers: [PaperCopy], progress: (Int, UInt64) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) -> [PaperResult]
}

/// A store for what is kept between runs. Keys consist of letters, digits, `.`, `_` and `-`, at most 128 bytes.
///
/// A value is stored atomically and survives a power failure.
public protocol BibliographyState {
    /// The value for a key; nil if there is none.
    func get(_ key: String) throws(BibliographySyncError) -> [UInt8]?
    /// Stores a value.
    func put(_ key: String, _ value: [UInt8]) throws(BibliographySyncError)
    /// Removes a key; does nothing if it does not exist.
    func remove(_ key: String) throws(BibliographySyncError)
    /// All keys, in any order.
    func keys() throws(BibliographySyncError) -> [String]
}
