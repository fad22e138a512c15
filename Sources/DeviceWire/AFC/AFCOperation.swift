/// The operation field of an AFC packet, which identifies a request or the kind of a reply.
///
/// Packets may contain any number; only the named operations have a codec (`AFCRequest`, `AFCReply`).
package struct AFCOperation: RawRepresentable, Hashable, Sendable {
    /// The number in the packet.
    package var rawValue: UInt64

    /// Creates an operation from any number, known or not.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Reply: a status code of 8 bytes.
    package static let status = AFCOperation(rawValue: 0x01)
    /// Reply: bytes.
    package static let data = AFCOperation(rawValue: 0x02)
    /// Request: the names in a folder.
    package static let readDirectory = AFCOperation(rawValue: 0x03)
    /// Request: set the length of a file given by path.
    package static let truncate = AFCOperation(rawValue: 0x07)
    /// Request: remove a file, a link or an empty folder.
    package static let removePath = AFCOperation(rawValue: 0x08)
    /// Request: create a folder with its parents.
    package static let makeDirectory = AFCOperation(rawValue: 0x09)
    /// Request: size, kind and times of one path.
    package static let getFileInfo = AFCOperation(rawValue: 0x0A)
    /// Request: model and disk space of the device.
    package static let getDeviceInfo = AFCOperation(rawValue: 0x0B)
    /// Request: open a file.
    package static let fileOpen = AFCOperation(rawValue: 0x0D)
    /// Reply: the handle of an opened file.
    package static let fileOpenResult = AFCOperation(rawValue: 0x0E)
    /// Request: read from a handle's position.
    package static let fileRead = AFCOperation(rawValue: 0x0F)
    /// Request: write at a handle's position.
    package static let fileWrite = AFCOperation(rawValue: 0x10)
    /// Request: move a handle's position.
    package static let fileSeek = AFCOperation(rawValue: 0x11)
    /// Request: a handle's position.
    package static let fileTell = AFCOperation(rawValue: 0x12)
    /// Reply: a handle's position.
    package static let fileTellResult = AFCOperation(rawValue: 0x13)
    /// Request: close a handle.
    package static let fileClose = AFCOperation(rawValue: 0x14)
    /// Request: set the length of an open file.
    package static let fileSetSize = AFCOperation(rawValue: 0x15)
    /// Request: rename a path.
    package static let renamePath = AFCOperation(rawValue: 0x18)
    /// Request: lock or unlock an open file.
    package static let fileLock = AFCOperation(rawValue: 0x1B)
    /// Request: create a hard or symbolic link.
    package static let makeLink = AFCOperation(rawValue: 0x1C)
    /// Request: set the modification time of a path.
    package static let setFileModTime = AFCOperation(rawValue: 0x1E)
    /// Request: remove a path and everything below it (iOS 6 and later).
    package static let removePathAndContents = AFCOperation(rawValue: 0x22)

    /// All requests that `AFCRequest` supports, sorted by number.
    package static let requests: [AFCOperation] = [
        .readDirectory, .truncate, .removePath, .makeDirectory, .getFileInfo, .getDeviceInfo, .fileOpen,
        .fileRead,
        .fileWrite, .fileSeek, .fileTell, .fileClose, .fileSetSize, .renamePath, .fileLock, .makeLink,
        .setFileModTime, .removePathAndContents,
    ]

    /// All replies that `AFCReply` supports.
    package static let replies: [AFCOperation] = [.status, .data, .fileOpenResult, .fileTellResult]

    /// The protocol's name (`FILE_OPEN`), or `0x…` for an unnamed number. Stable, so it can be used in counters and
    /// traces.
    package var name: String {
        switch self {
        case .status: "STATUS"
        case .data: "DATA"
        case .readDirectory: "READ_DIR"
        case .truncate: "TRUNCATE"
        case .removePath: "REMOVE_PATH"
        case .makeDirectory: "MAKE_DIR"
        case .getFileInfo: "GET_FILE_INFO"
        case .getDeviceInfo: "GET_DEVINFO"
        case .fileOpen: "FILE_OPEN"
        case .fileOpenResult: "FILE_OPEN_RES"
        case .fileRead: "FILE_READ"
        case .fileWrite: "FILE_WRITE"
        case .fileSeek: "FILE_SEEK"
        case .fileTell: "FILE_TELL"
        case .fileTellResult: "FILE_TELL_RES"
        case .fileClose: "FILE_CLOSE"
        case .fileSetSize: "FILE_SET_SIZE"
        case .renamePath: "RENAME_PATH"
        case .fileLock: "FILE_LOCK"
        case .makeLink: "MAKE_LINK"
        case .setFileModTime: "SET_FILE_MOD_TIME"
        case .removePathAndContents: "REMOVE_PATH_AND_CONTENTS"
        default: "0x" + String(rawValue, radix: 16, uppercase: true)
        }
    }
}

extension AFCOperation: CustomStringConvertible {
    /// The protocol's name of the operation.
    package var description: String { name }
}
