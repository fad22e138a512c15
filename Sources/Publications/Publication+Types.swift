import Archives
import Formats

extension Publication {
    /// The media types that a publication declares for the files of its archive, by their paths: those of an EPUB's package
    /// document, or of a Readium manifest. Empty for other archives, and where the document cannot be read.
    ///
    /// Blocks while reading; may be called from any thread. What is not a media type counts as not declared, and of two
    /// declarations the first counts.
    package static func declaredTypes(in zip: ZipArchive) -> [String: String] {
        let archive = PublicationArchive(zip)
        var types: [String: String] = [:]
        func declare(_ href: String, _ type: String?, relativeTo base: String) {
            guard let type = type.flatMap({ MediaType($0) }) else { return }
            // Exact paths only: to search for each of a hostile number of items would take forever.
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
