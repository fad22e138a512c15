/// One file of the host to put onto the device; the Swift form of `ovl_push_item`.
public struct PushItem: Hashable, Sendable {
    /// The lent file.
    public var file: HostFile
    /// Final path on the device.
    public var path: String

    /// A file and where it goes.
    public init(_ file: HostFile, to path: String) {
        self.file = file
        self.path = path
    }
}
