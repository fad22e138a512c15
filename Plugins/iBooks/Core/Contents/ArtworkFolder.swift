import BookFolders
import OverlayKit

/// The covers of synced books, each named by the book's persistent id.
struct ArtworkFolder {
    /// Its path in the media folder.
    static let path = "/Books/Sync/Artwork"

    /// The path of a book's cover; nil if the id cannot be a file name. Ids come from lists on the device, which any
    /// program may have written.
    static func path(of persistentID: String) -> String? {
        guard let name = SafePath(persistentID), name.isName else { return nil }
        return path + "/" + name.text
    }

    /// The image files, by name in upper case.
    private let files: [String: FileInfo]

    /// Lists the folder. If it does not exist or cannot be opened, it counts as empty.
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

    /// The image of a book; nil if there is none.
    func file(_ persistentID: String?) -> FileInfo? {
        persistentID.flatMap { files[$0.uppercased()] }
    }
}
