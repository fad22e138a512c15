/// A file or folder as one side lists it.
public struct BibliographyFile: Sendable, Equatable {
    /// What it is.
    public enum Kind: Sendable, Equatable {
        case file
        case folder
        /// A link, a device or something else that is neither read nor followed.
        case other
    }

    /// Its name in its folder.
    public var name: String
    /// What it is.
    public var kind: Kind
    /// Its size in bytes.
    public var size: UInt64
    /// When it was last changed, in nanoseconds since 1970.
    public var modified: Int64
    /// An opaque version: it changes whenever the file does.
    public var stamp: String

    /// A file of a listing.
    public init(name: String, kind: Kind = .file, size: UInt64, modified: Int64, stamp: String) {
        (self.name, self.kind, self.size) = (name, kind, size)
        (self.modified, self.stamp) = (modified, stamp)
    }
}

/// One side of a sync: the folder that a person named, or the app's container.
///
/// Paths are relative with `/` between names; the empty path is the folder itself. Links are never followed. The engine calls one
/// function at a time, from the thread that runs it.
public protocol BibliographyFolder {
    /// What is in a folder; not what is in its folders. Throws `.notFound` if there is no such folder.
    func list(_ folder: String) throws(BibliographySyncError) -> [BibliographyFile]

    /// A file; nil if there is none.
    func stat(_ path: String) throws(BibliographySyncError) -> BibliographyFile?

    /// The bytes of a file in a range, fewer at its end.
    func read(_ path: String, _ range: Range<UInt64>) throws(BibliographySyncError) -> [UInt8]

    /// Replaces a file's content atomically, and makes the folders that it needs.
    ///
    /// - Parameter path: the file.
    /// - Parameter bytes: what it is to hold.
    /// - Parameter stamp: the stamp of the file that is replaced; nil: there must be none.
    /// - Returns: the file as it is then.
    /// - Throws: `.changed` if another file is there, or none; nothing was done.
    func replace(_ path: String, _ bytes: [UInt8], expecting stamp: String?) throws(BibliographySyncError)
        -> BibliographyFile

    /// Takes a file away: on the host to the trash, on the device for good. Throws `.changed` as `replace` does.
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

    /// What a copy made.
    public init(size: UInt64, digest: String, hostStamp: String, deviceStamp: String) {
        (self.size, self.digest, self.hostStamp, self.deviceStamp) = (size, digest, hostStamp, deviceStamp)
    }
}

/// A paper that is to be copied to the other side.
public struct PaperCopy: Sendable, Equatable {
    /// Its path on the side that it comes from.
    public var source: String
    /// Its path on the other side.
    public var target: String
    /// The stamp of the file that is replaced there; nil: there must be none.
    public var replaced: String?

    /// A paper to copy.
    public init(_ source: String, to target: String, replacing replaced: String?) {
        (self.source, self.target, self.replaced) = (source, target, replaced)
    }
}

/// What became of a paper that was to be copied.
public typealias PaperResult = Result<CopiedPaper, BibliographySyncError>

/// Copies papers between the sides without the engine seeing their bytes.
///
/// A copy is staged and renamed, so a file is whole or not there. The functions give one result for each paper, in their order:
/// `.changed` if the target is another file by then. A cancel ends them after any paper; those that were not copied then have the
/// error as their result. They throw only if nothing was copied.
public protocol PaperCopier {
    /// Copies papers from the host to the device, with their modification times.
    ///
    /// - Parameter papers: the papers.
    /// - Parameter progress: gets how many bytes were copied since its last call; throws to cancel.
    func send(
        _ papers: [PaperCopy], progress: (UInt64) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) -> [PaperResult]

    /// Copies papers from the device to the host.
    ///
    /// - Parameter papers: the papers.
    /// - Parameter progress: gets how many bytes were copied since its last call; throws to cancel.
    func fetch(
        _ papers: [PaperCopy], progress: (UInt64) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) -> [PaperResult]
}

/// What is kept from one run to the next, by keys of letters, digits, `.`, `_` and `-`, at most 128 bytes long.
///
/// A value is stored whole or not at all, and is there after a fault of power.
public protocol BibliographyState {
    /// The value of a key; nil if there is none.
    func get(_ key: String) throws(BibliographySyncError) -> [UInt8]?
    /// Stores a value.
    func put(_ key: String, _ value: [UInt8]) throws(BibliographySyncError)
    /// Removes a key; nothing happens if there is none.
    func remove(_ key: String) throws(BibliographySyncError)
    /// All keys, in any order.
    func keys() throws(BibliographySyncError) -> [String]
}
