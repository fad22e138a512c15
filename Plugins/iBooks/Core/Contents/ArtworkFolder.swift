import OverlayKit

/// The covers that came with synchronised books, each named by the book's persistent id.
struct ArtworkFolder {
    /// Where it is in the media folder.
    static let path = "/Books/Sync/Artwork"

    /// The sizes of the images, by their names in capitals.
    private let files: [String: FileInfo]

    /// Lists the folder; without one there are no covers in it.
    init(_ host: HostServices) throws(OverlayError) {
        var files: [String: FileInfo] = [:]
        do throws(OverlayError) {
            for info in try host.transport.list(.media, Self.path, withInfo: true)
            where info.kind == .regular && info.size > 0 {
                files[info.name.uppercased()] = info
            }
        } catch {
            guard error.status == .notFound else { throw error }
        }
        self.files = files
    }

    /// The image of a book; nil without one.
    func file(_ persistentID: String?) -> FileInfo? {
        persistentID.flatMap { files[$0.uppercased()] }
    }
}
