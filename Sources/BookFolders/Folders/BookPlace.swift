import OverlayKit

/// A folder of books on the device.
public struct BookPlace: Hashable, Sendable {
    /// Through which place of the device it is reached.
    public var root: Root
    /// Its path there, without `/` at the end.
    public var folder: String

    /// A folder.
    public init(root: Root, folder: String = "/Documents") {
        self.root = root
        self.folder = folder
    }

    /// The folder `/Documents` of the app, through what iOS grants: the container up to iOS 8.2 and for apps that were
    /// signed for development, else the shared documents.
    ///
    /// - Throws: `accessRefused` with the reason when neither is granted.
    public static func documents(_ host: HostServices) throws(OverlayError) -> BookPlace {
        let roots = try host.transport.roots()
        for root in [Root.container, .documents]
        where roots.contains(where: { $0.root == root && $0.granted }) {
            return BookPlace(root: root)
        }
        // For a current app, what iOS reports about sharing decides; a person can never grant the container.
        let refused = roots.first { $0.root == .documents } ?? roots.first { $0.root == .container }
        throw OverlayError(
            .accessRefused, refused?.reason ?? "iOS gives no access to the app's files.",
            hint: refused?.hint
                ?? "Only apps with file sharing are supported. They appear under the device in the "
                + "Finder or iTunes."
        )
    }

    /// The path of a book as the transport service takes it.
    public func path(_ path: ShelfPath) -> String { folder + "/" + path.text }

    /// The path of a folder as the transport service takes it; nil is the shared folder itself.
    func path(_ path: ShelfPath?) -> String { path.map { folder + "/" + $0.text } ?? folder }
}
