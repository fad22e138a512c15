import BookFolders
import OverlayKit

/// The covers that came with synced books, each named by the book's persistent id.
struct ArtworkFolder {
    /// Where it is in the media folder.
    static let path = "/Books/Sync/Artwork"

    /// Where the cover of a book is; nil for an id that cannot be a file name. Ids come from the lists of the
    /// device, where any program may have written them.
    static func path(of persistentID: String) -> String? {
        guard let name = SafePath(persistentID), name.isName else { return nil }
        return path + "/" + name.text
    }

    /// The sizes of the images, by their names in capitals.
    private let files: [String: FileInfo]

    /// Lists the folder; without one, or where it cannot be opened, there are no covers in it.
    init(_ host: HostServices) throws(OverlayError) {
        var files: [String: FileInfo] = [:]
        do throws(OverlayError) {
            for info in try host.transport.list(.media, Self.path, withInfo: true)
            where info.kind == .regular && info.size > 0 {
                files[info.name.uppercased()] = info
            }
        } catch {
            if error.endsTheCall { throw error }
            if error.status != .notFound {
                host.log.notice("ibooks", "Cannot read the covers of synced books: \(error.message)")
            }
        }
        self.files = files
    }

    /// The image of a book; nil without one.
    func file(_ persistentID: String?) -> FileInfo? {
        persistentID.flatMap { files[$0.uppercased()] }
    }
}
