/// All requests that a host can send to the file service, in the form in which libimobiledevice 1.3.0 sends them.
///
/// Paths are UTF-8, need no leading slash, are never empty and contain no NUL. Handles come from FILE_OPEN and are
/// valid on the connection that opened them. Sizes and positions are in bytes.
package enum AFCRequest: Hashable, Sendable {
    /// The longest path that this codec accepts, in UTF-8 bytes without the NUL (the limit of a device is 1,024).
    package static let maximumPathLength = 4096

    /// READ_DIR: list the names in a folder; answered with `data`, see `AFCDirectoryListing`.
    case readDirectory(path: String)
    /// TRUNCATE: set a file's length.
    case truncate(path: String, size: UInt64)
    /// REMOVE_PATH: remove a file, link or empty folder.
    case removePath(path: String)
    /// MAKE_DIR: create a folder and its parents.
    case makeDirectory(path: String)
    /// GET_FILE_INFO: get the status of a path; answered with `data`, see `AFCFileInfo`.
    case getFileInfo(path: String)
    /// GET_DEVINFO: get information about the device; answered with `data`, see `AFCDeviceInfo`.
    case getDeviceInfo
    /// FILE_OPEN: open a file; answered with `handle`. The mode is a plain number, because the device decides about
    /// unknown ones.
    case fileOpen(path: String, mode: UInt64)
    /// FILE_READ: read from a handle; answered with `data` of at most that length, empty at the end of the file.
    case fileRead(handle: UInt64, length: UInt64)
    /// FILE_WRITE: write to a handle. The payload of that many bytes follows the encoded request and must be in the
    /// same send.
    case fileWrite(handle: UInt64, payloadLength: Int)
    /// FILE_SEEK: move the position of a handle. The origin is a plain number, see `AFCSeekOrigin`.
    case fileSeek(handle: UInt64, origin: UInt64, offset: Int64)
    /// FILE_TELL: get the position of a handle; answered with `position`.
    case fileTell(handle: UInt64)
    /// FILE_CLOSE: close a handle.
    case fileClose(handle: UInt64)
    /// FILE_SET_SIZE: set an open file's length.
    case fileSetSize(handle: UInt64, size: UInt64)
    /// RENAME_PATH: rename a path. Replaces an existing file that has the new name.
    case renamePath(from: String, to: String)
    /// FILE_LOCK: lock or unlock an open file. The operation is a plain number, see `AFCLockOperation`.
    case fileLock(handle: UInt64, operation: UInt64)
    /// MAKE_LINK: create a link. The kind is a plain number, see `AFCLinkKind`.
    case makeLink(kind: UInt64, target: String, link: String)
    /// SET_FILE_MOD_TIME: set the modification time of a path, in nanoseconds since 1970.
    case setFileModTime(path: String, nanoseconds: UInt64)
    /// REMOVE_PATH_AND_CONTENTS: remove a path and everything below it.
    case removePathAndContents(path: String)

    /// The operation number of the request.
    package var operation: AFCOperation {
        switch self {
        case .readDirectory: .readDirectory
        case .truncate: .truncate
        case .removePath: .removePath
        case .makeDirectory: .makeDirectory
        case .getFileInfo: .getFileInfo
        case .getDeviceInfo: .getDeviceInfo
        case .fileOpen: .fileOpen
        case .fileRead: .fileRead
        case .fileWrite: .fileWrite
        case .fileSeek: .fileSeek
        case .fileTell: .fileTell
        case .fileClose: .fileClose
        case .fileSetSize: .fileSetSize
        case .renamePath: .renamePath
        case .fileLock: .fileLock
        case .makeLink: .makeLink
        case .setFileModTime: .setFileModTime
        case .removePathAndContents: .removePathAndContents
        }
    }

    /// The numbers that precede the paths in the packet, zero to three. A signed number is represented by its bit
    /// pattern.
    var numbers: Arguments {
        switch self {
        case .readDirectory, .removePath, .makeDirectory, .getFileInfo, .getDeviceInfo, .renamePath,
            .removePathAndContents:
            Arguments(count: 0)
        case .truncate(_, let size): Arguments(count: 1, size)
        case .fileOpen(_, let mode): Arguments(count: 1, mode)
        case .fileRead(let handle, let length): Arguments(count: 2, handle, length)
        case .fileWrite(let handle, _): Arguments(count: 1, handle)
        case .fileSeek(let handle, let origin, let offset):
            Arguments(count: 3, handle, origin, UInt64(bitPattern: offset))
        case .fileTell(let handle): Arguments(count: 1, handle)
        case .fileClose(let handle): Arguments(count: 1, handle)
        case .fileSetSize(let handle, let size): Arguments(count: 2, handle, size)
        case .fileLock(let handle, let operation): Arguments(count: 2, handle, operation)
        case .makeLink(let kind, _, _): Arguments(count: 1, kind)
        case .setFileModTime(_, let nanoseconds): Arguments(count: 1, nanoseconds)
        }
    }

    /// The path of the request (the first, if there are two), for traces and messages.
    package var path: String? { paths.first }

    /// The second path of RENAME_PATH and MAKE_LINK.
    package var secondPath: String? { paths.second }

    var paths: (first: String?, second: String?) {
        switch self {
        case .readDirectory(let path), .truncate(let path, _), .removePath(let path),
            .makeDirectory(let path),
            .getFileInfo(let path), .fileOpen(let path, _), .setFileModTime(let path, _),
            .removePathAndContents(let path):
            (path, nil)
        case .renamePath(let from, let to): (from, to)
        case .makeLink(_, let target, let link): (target, link)
        case .getDeviceInfo, .fileRead, .fileWrite, .fileSeek, .fileTell, .fileClose, .fileSetSize, .fileLock:
            (nil, nil)
        }
    }

    /// The file handle of the request.
    package var handle: UInt64? {
        switch self {
        case .fileRead(let handle, _), .fileWrite(let handle, _), .fileSeek(let handle, _, _),
            .fileTell(let handle),
            .fileClose(let handle), .fileSetSize(let handle, _), .fileLock(let handle, _):
            handle
        default: nil
        }
    }

    /// Up to three numbers, stored without an allocation.
    struct Arguments {
        var count: Int
        var first: UInt64
        var second: UInt64
        var third: UInt64

        init(count: Int, _ first: UInt64 = 0, _ second: UInt64 = 0, _ third: UInt64 = 0) {
            self.count = count
            self.first = first
            self.second = second
            self.third = third
        }
    }
}
