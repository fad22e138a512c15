extension AFCRequest {
    /// Reads a request from its header and what followed it.
    ///
    /// For FILE_WRITE `body` needs only the handle: the payload, `header.payloadLength` bytes, is left to the caller. For all others
    /// it is everything after the header. The last path may lack its NUL and may be followed by NULs only, as some clients send it.
    /// Throws `unknownOperation`, `truncated`, `badPath` or `badArgument`; none of them loses the boundary between packets.
    package static func decode(_ header: AFCHeader, body: [UInt8]) throws(AFCWireError) -> AFCRequest {
        var reader = AFCBodyReader(bytes: body[...], operation: header.operation)
        let request = try decode(header, from: &reader)
        if header.operation != .fileWrite { try reader.finish() }
        return request
    }

    private static func decode(
        _ header: AFCHeader, from reader: inout AFCBodyReader
    ) throws(AFCWireError) -> AFCRequest {
        switch header.operation {
        case .readDirectory: return .readDirectory(path: try reader.path())
        case .truncate:
            let size = try reader.number()
            return .truncate(path: try reader.path(), size: size)
        case .removePath: return .removePath(path: try reader.path())
        case .makeDirectory: return .makeDirectory(path: try reader.path())
        case .getFileInfo: return .getFileInfo(path: try reader.path())
        case .getDeviceInfo: return .getDeviceInfo
        case .fileOpen:
            let mode = try reader.number()
            return .fileOpen(path: try reader.path(), mode: mode)
        case .fileRead: return .fileRead(handle: try reader.number(), length: try reader.number())
        case .fileWrite:
            return .fileWrite(handle: try reader.number(), payloadLength: header.payloadLength)
        case .fileSeek:
            return .fileSeek(
                handle: try reader.number(), origin: try reader.number(),
                offset: Int64(bitPattern: try reader.number()))
        case .fileTell: return .fileTell(handle: try reader.number())
        case .fileClose: return .fileClose(handle: try reader.number())
        case .fileSetSize: return .fileSetSize(handle: try reader.number(), size: try reader.number())
        case .renamePath: return .renamePath(from: try reader.path(), to: try reader.path())
        case .fileLock: return .fileLock(handle: try reader.number(), operation: try reader.number())
        case .makeLink:
            return .makeLink(kind: try reader.number(), target: try reader.path(), link: try reader.path())
        case .setFileModTime:
            let nanoseconds = try reader.number()
            return .setFileModTime(path: try reader.path(), nanoseconds: nanoseconds)
        case .removePathAndContents: return .removePathAndContents(path: try reader.path())
        default:
            throw AFCWireError(.unknownOperation, "The operation is not known.", subject: header.operation)
        }
    }
}
