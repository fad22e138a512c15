import BookFolders
import OverlayKit

/// The files of a book that was unpacked into a folder.
struct FolderTree {
    /// Far more than any book has; a larger folder is not a book.
    static let mostFiles = 50_000
    /// Folders within each other below the book's own.
    static let deepest = 32

    /// One file of it.
    struct File: Equatable {
        /// Below the book's folder.
        let path: SafePath
        let size: UInt64
        /// In nanoseconds since 1970.
        let modifiedExactly: Int64
        /// In seconds since 1970.
        var modified: Int64 { modifiedExactly / 1_000_000_000 }
    }

    /// The files in the order of their paths' bytes.
    private(set) var files: [File] = []
    /// Links and other things that are not files, and files with names that no archive may hold.
    private(set) var strange: [String] = []
    private var places = NameTable<Int>()

    /// Lists a folder with all below it: one listing for each folder.
    ///
    /// - Throws: `damaged` for a folder that is deeper or fuller than a book can be.
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

    /// The file of that path, which may be spelt in another way than in the folder.
    func file(_ path: String) -> File? { places[path].map { files[$0] } }

    /// Bytes of all files together.
    var size: UInt64 { files.reduce(0) { $0 &+ $1.size } }

    private static func tooLarge(_ folder: String) -> OverlayError {
        OverlayError(.damaged, "The folder contains more files than a book can have.", subject: folder)
    }
}
