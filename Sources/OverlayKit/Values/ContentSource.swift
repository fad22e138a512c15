import OverlayABI

/// A file to look into, wherever it lies; the Swift form of `ovl_source`.
public enum ContentSource: Hashable, Sendable {
    /// A file on the device, by place and path. It is read by ranges and never copied as a whole.
    case device(Root, String)
    /// A file of the host that was lent to the running method.
    case file(HostFile)
    /// Bytes in memory, and the name they go by, for its extension.
    case bytes([UInt8], name: String? = nil)
    /// A file behind an `http` or `https` URL.
    case url(String)

    /// What errors about the source name; nil where there is no name.
    package var subject: String? {
        switch self {
        case .device(_, let path): path
        case .file: nil
        case .bytes(_, let name): name
        case .url(let url): url
        }
    }
}
