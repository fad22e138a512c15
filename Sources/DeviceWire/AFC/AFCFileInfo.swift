/// The reply to GET_FILE_INFO for one path. For a symbolic link, it describes the link itself.
package struct AFCFileInfo: Hashable, Sendable {
    /// The kind of a file or folder.
    package enum Kind: Hashable, Sendable {
        case file
        case folder
        case symbolicLink
        /// Any other object, such as a socket or a device, by its name (`S_IFSOCK`).
        case other(String)

        /// The value for `st_ifmt`.
        package var formatName: String {
            switch self {
            case .file: "S_IFREG"
            case .folder: "S_IFDIR"
            case .symbolicLink: "S_IFLNK"
            case .other(let name): name
            }
        }

        /// Creates a kind from a value of `st_ifmt`.
        package init(formatName: String) {
            switch formatName {
            case "S_IFREG": self = .file
            case "S_IFDIR": self = .folder
            case "S_IFLNK": self = .symbolicLink
            default: self = .other(formatName)
            }
        }
    }

    /// The kind of the file or folder.
    package var kind: Kind
    /// The size in bytes. For a folder, a number that depends on its entries.
    package var size: UInt64
    /// The number of 512-byte blocks in use; 0 if not reported.
    package var blocks: UInt64
    /// The number of hard links; 1 if not reported.
    package var linkCount: UInt64
    /// The time of the last change of the content, in nanoseconds since 1970; 0 if not reported.
    package var modified: Int64
    /// The time of creation, in nanoseconds since 1970; nil if not reported.
    package var born: Int64?
    /// The target of a symbolic link, as stored in it.
    package var linkTarget: String?

    /// Creates the description of a path.
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

    /// Parses the payload of the reply.
    ///
    /// Throws `malformedReply` if `st_ifmt` or `st_size` is missing, or if the size is not a number. Other values that
    /// are not numbers, such as a time that does not fit, count as not reported. Ignores unknown keys.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        var kind: Kind?
        var (size, blocks, linkCount): (UInt64?, UInt64?, UInt64?)
        var (modified, born): (Int64?, Int64?)
        var linkTarget: String?
        // If a key is repeated, its first value that can be read counts. A size that cannot be read is an error.
        try AFCDictionary.each(in: bytes) { (key, value) throws(WireError) in
            switch key {
            case "st_ifmt": kind = kind ?? Kind(formatName: String(decoding: value, as: UTF8.self))
            case "st_size" where size == nil: size = try AFCDictionary.number(value, of: key)
            case "st_blocks": blocks = blocks ?? AFCDictionary.number(value)
            case "st_nlink": linkCount = linkCount ?? AFCDictionary.number(value)
            case "st_mtime": modified = modified ?? AFCDictionary.number(value)
            case "st_birthtime": born = born ?? AFCDictionary.number(value)
            case "LinkTarget": linkTarget = linkTarget ?? String(decoding: value, as: UTF8.self)
            default: break
            }
        }
        guard let kind else {
            throw WireError(.malformedReply, "The value st_ifmt is missing.", subject: AFCOperation.data.name)
        }
        guard let size else {
            throw WireError(.malformedReply, "The value st_size is missing.", subject: AFCOperation.data.name)
        }
        self.init(
            kind: kind, size: size, blocks: blocks ?? 0, linkCount: linkCount ?? 1, modified: modified ?? 0,
            born: born, linkTarget: linkTarget)
    }

    /// Encodes the payload of the reply.
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
