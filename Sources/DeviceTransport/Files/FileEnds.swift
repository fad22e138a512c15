/// The beginning and the end of a file, and what the device says about it.
public struct FileEnds: Sendable, Hashable {
    /// What the device says about the file.
    public var status: FileStatus
    /// The first bytes; fewer than asked for only where the file ends.
    public var head: [UInt8]
    /// The last bytes, but for those that are among the first.
    public var tail: [UInt8]

    /// The ends of a file.
    public init(status: FileStatus, head: [UInt8], tail: [UInt8]) {
        self.status = status
        self.head = head
        self.tail = tail
    }
}
