import Platform

/// What to read of one file, in a batch.
public struct FileReadRequest: Sendable, Hashable {
    /// The file on the device.
    public var path: String
    /// The bytes to read; the part beyond the end of the file is left out. Nil for the whole file.
    public var range: Range<UInt64>?
    /// The size as known from an earlier list or stat. It saves a request; a file of another size is read correctly.
    public var expectedSize: UInt64?
    /// The most bytes to accept; more is `.tooLarge`.
    public var limit: Int
    /// Whether a `range` is read with a single request, which the device may answer with fewer bytes.
    public var once: Bool

    /// Asks for a file, or a part of it.
    public init(
        _ path: String, range: Range<UInt64>? = nil, expectedSize: UInt64? = nil, limit: Int = 256 << 20,
        once: Bool = false
    ) {
        self.once = once
        self.path = path
        self.range = range
        self.expectedSize = expectedSize
        self.limit = limit
    }
}

/// Where the content of a new file on the device comes from.
public enum UploadSource: Sendable, Hashable {
    /// These bytes.
    case bytes([UInt8])
    /// A local file, by its path.
    case file(String)
}

/// How a file is written.
///
/// Writing is always careful: the content goes to a temporary name in the same folder, is checked, and takes its name
/// by a rename. The temporary name depends only on the final one, so repeating a broken upload also tidies up after it.
public struct WriteOptions: Sendable, Hashable {
    /// How the written content is checked before it gets its name.
    public enum Verification: String, Sendable, Hashable, CaseIterable {
        /// Its size on the device has to match.
        case size
        /// It is read back and compared by SHA-256, too.
        case contents
    }

    /// How the content is checked.
    public var verification: Verification
    /// Whether an existing file of that name is replaced; otherwise it is left alone and the write fails with `.exists`.
    public var replacesExisting: Bool
    /// Whether missing folders on the way are made.
    public var makesFolders: Bool
    /// The modification time to set, in nanoseconds since 1970; nil leaves the device's.
    public var modified: Int64?
    /// The SHA-256 of the content in hexadecimal. With it a write that is cut off leaves what the device has of the content, and the
    /// next write of this content to the same folder goes on there. Without it, and with `contents`, nothing is left.
    public var contentDigest: String?

    /// Makes options; the defaults check the size, replace and make folders.
    public init(
        verification: Verification = .size, replacesExisting: Bool = true, makesFolders: Bool = true,
        modified: Int64? = nil, contentDigest: String? = nil
    ) {
        self.contentDigest = contentDigest
        self.verification = verification
        self.replacesExisting = replacesExisting
        self.makesFolders = makesFolders
        self.modified = modified
    }
}

/// One file to be written, in a batch.
public struct PushRequest: Sendable, Hashable {
    /// Where the content comes from.
    public var source: UploadSource
    /// The file on the device.
    public var path: String
    /// How it is written.
    public var options: WriteOptions

    /// Asks for a file to be written.
    public init(_ source: UploadSource, to path: String, options: WriteOptions = WriteOptions()) {
        self.source = source
        self.path = path
        self.options = options
    }
}

/// Where a fetch that is cut off leaves what it has, so that the next one of the same file goes on with it.
///
/// A file is the same as long as its path, size and modification time are. The name of what is left says which file it is a part of.
public struct BegunPlace: Sendable, Hashable {
    /// A folder of this computer, on the file system of the fetched file.
    public var folder: String
    /// What the names in the folder begin with.
    public var prefix: String
    /// What tells this device's files from those of others that use the same prefix.
    public var key: String

    /// A place.
    public init(folder: String, prefix: String, key: String = "") {
        self.folder = folder
        self.prefix = prefix
        self.key = key
    }

    /// How all names in the folder end.
    package static let suffix = ".begun"

    /// The path for what is left of a file; nil if its status does not tell one version of it from another.
    func path(_ device: String, _ status: FileStatus?) -> String? {
        guard let status, status.kind == .file, let modified = status.modified,
            let digest = Digest.of(Array("\(key)\0\(device)\0\(status.size)\0\(modified)".utf8), .sha256)
        else { return nil }
        return "\(folder)/\(prefix)\(Hex.text(digest).prefix(40))\(Self.suffix)"
    }
}

/// One file to be fetched, in a batch.
///
/// It is written to a temporary name beside `localPath`, checked by size, and takes its name by a rename: an
/// incomplete file never has that name.
public struct PullRequest: Sendable, Hashable {
    /// The file on the device.
    public var path: String
    /// The local file; its folder must exist.
    public var localPath: String
    /// Whether an existing local file is replaced; otherwise the fetch fails with `.exists`.
    public var replacesExisting: Bool
    /// Whether the content is forced to the disk before the rename.
    public var synchronizes: Bool
    /// Where a fetch that is cut off leaves what it has, and goes on with what an earlier one left; nil: it leaves nothing.
    public var begun: BegunPlace?
    /// The size as known from an earlier list or stat. It saves a request unless the file has another size, which the device is
    /// asked about then.
    public var expectedSize: UInt64?

    /// Asks for a file to be fetched.
    public init(
        _ path: String, to localPath: String, replacesExisting: Bool = false, synchronizes: Bool = false,
        begun: BegunPlace? = nil, expectedSize: UInt64? = nil
    ) {
        self.begun = begun
        self.expectedSize = expectedSize
        self.path = path
        self.localPath = localPath
        self.replacesExisting = replacesExisting
        self.synchronizes = synchronizes
    }
}

/// The result of one item of a batch.
public typealias TransferResult<Value: Sendable> = Result<Value, TransportError>
