import Archives
import Formats

extension Publication {
    /// The media types that a publication declares for the files of its archive, by path. They come from the package
    /// document of an EPUB or from a Readium manifest. Empty for other archives, and if that document cannot be read.
    ///
    /// Blocks while reading; may be called from any thread. Ignores values that are not media types. If a path is
    /// declared twice, the first declaration counts.
    package static func declaredTypes(in zip: ZipArchive) -> [String: String] {
        let archive = PublicationArchive(zip)
        var types: [String: String] = [:]
        func declare(_ href: String, _ type: String?, relativeTo base: String) {
            guard let type = type.flatMap({ MediaType($0) }) else { return }
            // Matches exact paths only: a search for each item would take too long if a hostile file has many.
            for path in EntryPath.candidates(for: href, relativeTo: base) where zip.entry(path) != nil {
                if types[path] == nil { types[path] = type.string }
                return
            }
        }
        if let object = archive.entry("manifest.json") == nil ? nil : archive.object("manifest.json") {
            let manifest = ReadiumManifest(object)
            for name in ["readingOrder", "spine", "resources", "links"] {
                for link in manifest.links(name) { declare(link.href, link.type, relativeTo: "") }
            }
        }
        if archive.entry("META-INF/container.xml") != nil, let entry = EPUBReader.packageEntry(in: archive),
            let root = archive.document(entry)
        {
            for item in PackageDocument(root, path: entry.path).items {
                declare(item.href, item.mediaType, relativeTo: entry.path)
            }
        }
        return types
    }
}
