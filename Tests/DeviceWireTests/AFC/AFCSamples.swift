@testable import DeviceWire

/// One request of every kind, with values that use all bytes of their fields.
let sampleRequests: [AFCRequest] = [
    .readDirectory(path: "/Documents"),
    .truncate(path: "/a", size: 0x0102_0304_0506_0708),
    .removePath(path: "/Grüße/日本"),
    .makeDirectory(path: "relative/path"),
    .getFileInfo(path: "/"),
    .getDeviceInfo,
    .fileOpen(path: "/b", mode: 4),
    .fileRead(handle: 7, length: .max),
    .fileWrite(handle: 8, payloadLength: 5),
    .fileSeek(handle: 9, origin: 2, offset: -17),
    .fileTell(handle: .max),
    .fileClose(handle: 11),
    .fileSetSize(handle: 12, size: 13),
    .renamePath(from: "/from", to: "/to"),
    .fileLock(handle: 14, operation: 6),
    .makeLink(kind: 2, target: "../target", link: "/link"),
    .setFileModTime(path: "/c", nanoseconds: 1_700_000_000_123_456_789),
    .removePathAndContents(path: "/tree"),
]

/// One reply of every kind.
let sampleReplies: [AFCReply] = [
    .status(.success), .status(AFCStatus(rawValue: 4711)), .data([]), .data([1, 2, 3]), .handle(1),
    .position(.max),
]

/// Takes a packet apart like a reader of a connection: first the header, then the announced bytes.
func split(_ packet: [UInt8], maximumLength: Int = 1 << 20) throws -> (header: AFCHeader, body: [UInt8]) {
    let header = try AFCHeader(decoding: packet, maximumLength: maximumLength)
    guard packet.count >= header.entireLength else { throw WireError(.truncated, "The packet is cut.") }
    return (header, Array(packet[AFCHeader.size..<header.entireLength]))
}
