import Archives
import Formats
import Platform

extension PublicationArchive {
    /// Whether an entry was left behind by a file manager: hidden files, macOS resource forks, Windows thumbnails.
    /// The detection of comic formats ignores the same files.
    static func isFileManagerEntry(_ path: String) -> Bool {
        let segments = path.pathNames
        guard let name = segments.last else { return true }
        return name.hasPrefix(".") || segments.contains("__MACOSX") || name.equals(ignoringCase: "thumbs.db")
    }

    /// The images in page order.
    func pages() -> [(entry: ZipEntry, type: MediaType)] {
        var pages: [(key: PageOrder.Key, entry: ZipEntry, type: MediaType)] = []
        for entry in entries {
            let path = entry.path
            guard let type = ImageType.of(path: path), !Self.isFileManagerEntry(path) else { continue }
            pages.append((PageOrder.Key(path), entry, type))
        }
        pages.sort { $0.key < $1.key }
        return pages.map { ($0.entry, $0.type) }
    }

    /// The file with that name in the fewest folders.
    func topmost(named name: String) -> ZipEntry? {
        topmost { EntryPath.name(of: $0).equals(ignoringCase: name) }
    }

    /// The matching file in the fewest folders.
    func topmost(where fits: (String) -> Bool) -> ZipEntry? {
        var best: (entry: ZipEntry, depth: Int)?
        for entry in entries {
            let path = entry.path
            guard fits(path), !Self.isFileManagerEntry(path) else { continue }
            let depth = EntryPath.depth(of: path)
            if depth < best?.depth ?? .max { best = (entry, depth) }
        }
        return best?.entry
    }
}

/// Determines which files are images that can be a cover or a page.
enum ImageType {
    /// The type by the extension of a path; nil if it is not an image.
    static func of(path: String) -> MediaType? {
        byExtension[EntryPath.fileExtension(of: path)]
    }

    /// The stated type if it is an image, or else the type by the extension.
    static func of(stated: String?, path: String) -> MediaType? {
        if let stated, stated.hasPrefix(ignoringCase: "image/") {
            // A common name that was never registered.
            if stated.equals(ignoringCase: "image/jpg") { return .jpeg }
            if let type = MediaType(stated) { return type }
        }
        return of(path: path)
    }

    private static let byExtension: [String: MediaType] = [
        "jpg": .jpeg, "jpeg": .jpeg, "jpe": .jpeg, "jfif": .jpeg, "jif": .jpeg, "png": .png, "gif": .gif,
        "webp": .webp, "svg": .svg, "bmp": .bmp, "dib": .bmp, "tif": .tiff, "tiff": .tiff, "avif": .avif,
        "jxl": .jxl,
    ]
}
