import Platform

/// A request to read one file, in a batch.
public struct FileReadRequest: Sendable, Hashable {
    /// The path of the file on the device.
    public var path: String
    /// The bytes to read; nil for the complete file. The part of the range beyond the end of the file is ignored.
    public var range: Range<UInt64>?
    /// The size from an earlier list or stat. It saves a request. A file of another size is still read correctly.
    public var expectedSize: UInt64?
    /// The largest number of bytes to accept. If there are more, the request fails with `.tooLarge`.
    public var limit: Int
    /// Whether a `range` is read with a single request, which the device may answer with fewer bytes.
    public var once: Bool

    /// Creates a request for a file, or a part of it.
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

/// The source of the content of a new file on the device.
public enum UploadSource: Sendable, Hashable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// The path of a local file.
    case file(String)
}

/// Options for writing a file.
///
/// Writing is always safe: the content is written to a temporary name in the same folder, verified, and then renamed.
/// The temporary name depends only on the final one, so repeating an interrupted upload also cleans up after it.
public struct WriteOptions: Sendable, Hashable {
    /// How the written content is verified before it gets its name.
    public enum Verification: String, Sendable, Hashable, CaseIterable {
        /// The size on the device must match.
        case size
        /// The content is also read back and compared by SHA-256.
        case contents
    }

    /// How the content is verified.
    public var verification: Verification
    /// Whether an existing file of that name is replaced. If not, it is not changed and the write fails with
    /// `.exists`.
    public var replacesExisting: Bool
    /// Whether missing parent folders are created.
    public var makesFolders: Bool
    /// The modification time to set, in nanoseconds since 1970; nil keeps the device's.
    public var modified: Int64?
    /// The SHA-256 of the content in hexadecimal. If it is set, an interrupted write keeps its part on the device,
    /// and the next write of this content to the same folder continues it. If it is nil, or `verification` is
    /// `contents`, nothing is kept.
    public var contentDigest: String?

    /// Creates options. By default, the size is verified, existing files are replaced, and missing folders are
    /// created.
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

/// A request to write one file, in a batch.
public struct PushRequest: Sendable, Hashable {
    /// The source of the content.
    public var source: UploadSource
    /// The path of the file on the device.
    public var path: String
    /// The options for writing it.
    public var options: WriteOptions

    /// Creates a request to write a file.
    public init(_ source: UploadSource, to path: String, options: WriteOptions = WriteOptions()) {
        self.source = source
        self.path = path
        self.options = options
    }
}

/// The location where an interrupted download keeps its part, so that the next download of the same file continues
/// it.
///
/// Files are the same if their path, size and modification time are equal. The name of the part identifies the file
/// to which it belongs.
public struct PartialFilePlace: Sendable, Hashable {
    /// A folder on this host, on the same file system as the downloaded file.
    public var folder: String
    /// The prefix of the names in the folder.
    public var prefix: String
    /// A text that distinguishes this device's files from those of others with the same prefix.
    public var key: String

    /// Creates a location.
    public init(folder: String, prefix: String, key: String = "") {
        self.folder = folder
        self.prefix = prefix
        self.key = key
    }

    /// The suffix of all names in the folder.
    package static let suffix = ".begun"

    /// The path for the part of a file; nil if its status does not identify its version.
    func path(_ device: String, _ status: FileStatus?) -> String? {
        guard let status, status.kind == .file, let modified = status.modified,
            let digest = Digest.of(Array("\(key)\0\(device)\0\(status.size)\0\(modified)".utf8), .sha256)
        else { return nil }
        return "\(folder)/\(prefix)\(Hex.text(digest).prefix(40))\(Self.suffix)"
    }
}

/// A request to copy one file to the host, in a batch.
///
/// It is written to a temporary name next to `localPath`, verified by size, and then renamed, so an incomplete file
/// never has the final name.
public struct PullRequest: Sendable, Hashable {
    /// The path of the file on the device.
    public var path: String
    /// The path of the local file. Its folder must exist.
    public var localPath: String
    /// Whether an existing local file is replaced. If not, the request fails with `.exists`.
    public var replacesExisting: Bool
    /// Whether the content is written to disk before the rename.
    public var synchronizes: Bool
    /// The location where an interrupted request keeps its part and continues that of an earlier one; nil to keep
    /// nothing.
    public var partialFiles: PartialFilePlace?
    /// The size from an earlier list or stat. It saves a request, unless the file has another size: the device is
    /// then asked for its status.
    public var expectedSize: UInt64?

    /// Creates a request to copy a file.
    public init(
        _ path: String, to localPath: String, replacesExisting: Bool = false, synchronizes: Bool = false,
        partialFiles: PartialFilePlace? = nil, expectedSize: UInt64? = nil
    ) {
        self.partialFiles = partialFiles
        self.expectedSize = expectedSize
        self.path = path
        self.localPath = localPath
        self.replacesExisting = replacesExisting
        self.synchronizes = synchronizes
    }
}

/// The result of one item of a batch.
public typealias TransferResult<Value: Sendable> = Result<Value, TransportError>
