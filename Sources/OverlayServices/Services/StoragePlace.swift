import Preferences

/// Where the small files of overlays are kept on this computer.
public struct StoragePlace: Sendable, Equatable {
    /// The folder of what may vanish at any time.
    public var caches: String
    /// The folder of what must not.
    public var data: String

    /// Two folders, absolute paths.
    public init(caches: String, data: String) {
        self.caches = caches
        self.data = data
    }

    /// `storage` in the cache and data folders of the XDG base directory specification.
    public init(_ paths: HostPaths) {
        self.init(caches: paths.caches + "/storage", data: paths.data + "/storage")
    }
}
