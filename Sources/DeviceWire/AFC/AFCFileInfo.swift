/// What GET_FILE_INFO says about one path; about the link itself for a symbolic link.
package struct AFCFileInfo: Hashable, Sendable {
    /// The kind of a file or folder.
    package enum Kind: Hashable, Sendable {
        case file
        case folder
        case symbolicLink
        /// A socket, a device and the like, by its name (`S_IFSOCK`).
        case other(String)

        /// The value of `st_ifmt`.
        package var formatName: String {
            switch self {
            case .file: "S_IFREG"
            case .folder: "S_IFDIR"
            case .symbolicLink: "S_IFLNK"
            case .other(let name): name
            }
        }

        /// Takes a value of `st_ifmt`.
        package init(formatName: String) {
            switch formatName {
            case "S_IFREG": self = .file
            case "S_IFDIR": self = .folder
            case "S_IFLNK": self = .symbolicLink
            default: self = .other(formatName)
            }
        }
    }

    /// The kind.
    package var kind: Kind
    /// Bytes; for a folder a number that changes with its entries.
    package var size: UInt64
    /// Blocks of 512 bytes in use, 0 when not told.
    package var blocks: UInt64
    /// Names of the same file, 1 when not told.
    package var linkCount: UInt64
    /// Last change of the content, in nanoseconds since 1970; 0 when not told.
    package var modified: Int64
    /// When it was made, in nanoseconds since 1970; nil when not told.
    package var born: Int64?
    /// Where a symbolic link points, as written in it.
    package var linkTarget: String?

    /// Describes a path.
    package init(
        kind: Kind, size: UInt64, blocks: UInt64 = 0, linkCount: UInt64 = 1, modified: Int64,
        born: Int64? = nil,
        linkTarget: String? = nil
    ) {
        self.kind = kind
        self.size = size
        self.blocks = blocks
        self.linkCount = linkCount
        self.modified = modified
        self.born = born
        self.linkTarget = linkTarget
    }

    /// Reads the payload of the reply.
    ///
    /// Throws `malformedReply` when `st_ifmt` or `st_size` is missing, or when a value that should be a
    /// number is not. Ignores unknown keys.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let fields = try AFCDictionary(decoding: bytes)
        guard let format = fields["st_ifmt"] else {
            throw WireError(.malformedReply, "st_ifmt is missing.", subject: AFCOperation.data.name)
        }
        guard let size: UInt64 = try fields.number("st_size") else {
            throw WireError(.malformedReply, "st_size is missing.", subject: AFCOperation.data.name)
        }
        self.init(
            kind: Kind(formatName: format), size: size, blocks: try fields.number("st_blocks") ?? 0,
            linkCount: try fields.number("st_nlink") ?? 1, modified: try fields.number("st_mtime") ?? 0,
            born: try fields.number("st_birthtime"), linkTarget: fields["LinkTarget"])
    }

    /// The payload of the reply.
    package func encode() -> [UInt8] {
        var fields: [AFCDictionary.Field] = [
            .init("st_size", String(size)), .init("st_blocks", String(blocks)),
            .init("st_nlink", String(linkCount)),
            .init("st_ifmt", kind.formatName), .init("st_mtime", String(modified)),
        ]
        if let born { fields.append(.init("st_birthtime", String(born))) }
        if let linkTarget { fields.append(.init("LinkTarget", linkTarget)) }
        return AFCDictionary(fields).encode()
    }
}
