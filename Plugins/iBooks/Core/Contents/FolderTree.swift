import BookFolders
import OverlayKit

/// The files of an unpacked book in its folder.
struct FolderTree {
    /// Far more files than any book has; a folder with more is not a book.
    static let mostFiles = 50_000
    /// The most levels of folders inside the book's folder.
    static let deepest = 32

    /// A file of the book.
    struct File: Equatable {
        /// The path relative to the book's folder.
        let path: SafePath
        let size: UInt64
        /// In nanoseconds since 1970.
        let modifiedExactly: Int64
        /// In seconds since 1970.
        var modified: Int64 { modifiedExactly / 1_000_000_000 }
    }

    /// Files that the store and Books add to a book's folder. They are not part of the book and name its buyer.
    private static let bookkeeping: Set<String> = [
        "iTunesMetadata.plist", "iTunesMetadata-original.plist", "iTunesArtwork", ".DS_Store",
    ]
    /// The files, sorted by the bytes of their paths.
    private(set) var files: [File] = []
    /// Entries that are not files, such as links, and files whose names are not allowed in an archive.
    private(set) var strange: [String] = []
    private var places = NameTable<Int>()

    /// Whether the archive of a book contains a file of its folder unchanged.
    static func isContent(_ path: SafePath) -> Bool {
        path.text != "mimetype" && !bookkeeping.contains(path.text)
    }

    /// Lists a folder and everything below it, with one request for each folder.
    ///
    /// - Throws: `damaged` if the folder is deeper or has more files than a book can have.
    init(_ host: HostServices, _ folder: String) throws(OverlayError) {
        var pending: [(path: String, depth: Int)] = [("", 0)]
        while let (path, depth) = pending.popLast() {
            try host.cancellation.check()
            for info in try host.transport.list(
                .media, folder + (path.isEmpty ? "" : "/" + path), withInfo: true)
            {
                let place = path.isEmpty ? info.name : path + "/" + info.name
                guard let safe = SafePath(place), !place.contains("\\"), safe.text == place else {
                    strange.append(place)
                    continue
                }
                switch info.kind {
                case .folder:
                    guard depth < Self.deepest else { throw Self.tooLarge(folder) }
                    pending.append((place, depth + 1))
                case .regular:
                    files.append(File(path: safe, size: info.size, modifiedExactly: info.modified))
                default: strange.append(place)
                }
                guard files.count + pending.count + strange.count <= Self.mostFiles else {
                    throw Self.tooLarge(folder)
                }
            }
        }
        files.sort { $0.path.text.utf8.lexicographicallyPrecedes($1.path.text.utf8) }
        for (index, file) in files.enumerated() { places[file.path.text] = index }
    }

    /// The file at a path, which may be spelled differently in the folder.
    func file(_ path: String) -> File? { places[path].map { files[$0] } }

    /// The total size of all files in bytes.
    var size: UInt64 { files.reduce(0) { $0 &+ $1.size } }

    private static func tooLarge(_ folder: String) -> OverlayError {
        OverlayError(.damaged, "The folder contains more files than a book can have.", subject: folder)
    }
}
