import OverlayKit

/// A folder of books on the device.
public struct BookPlace: Hashable, Sendable {
    /// The root of the device that contains it.
    public var root: Root
    /// Its path below the root, without a trailing `/`.
    public var folder: String

    /// Creates a place with these values.
    public init(root: Root, folder: String = "/Documents") {
        self.root = root
        self.folder = folder
    }

    /// The app's `/Documents` folder, in a root that iOS allows: the container up to iOS 8.2 and for apps signed for
    /// development, otherwise the shared documents.
    ///
    /// - Throws: `accessRefused`, with the reason, if iOS allows neither.
    public static func documents(_ host: HostServices) throws(OverlayError) -> BookPlace {
        let roots = try host.transport.roots()
        for root in [Root.container, .documents]
        where roots.contains(where: { $0.root == root && $0.granted }) {
            return BookPlace(root: root)
        }
        // For a current app, report the error about file sharing, because the user cannot allow access to the
        // container.
        let refused = roots.first { $0.root == .documents } ?? roots.first { $0.root == .container }
        throw OverlayError(
            .accessRefused, refused?.reason ?? "iOS gives no access to the app's files.",
            hint: refused?.hint
                ?? "Only apps with file sharing are supported. They appear under the device in the "
                + "Finder or iTunes."
        )
    }

    /// The path of a book for the transport service.
    public func path(_ path: ShelfPath) -> String { folder + "/" + path.text }

    /// The path of a folder for the transport service; nil is the shared folder itself.
    func path(_ path: ShelfPath?) -> String { path.map { folder + "/" + $0.text } ?? folder }
}
