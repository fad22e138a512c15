import Archives
import Formats
import FoundationEssentials
import Markup

/// Reads EPUB 2 and 3 (EPUB 3.3, Open Packaging Format 2.0.1, and 1.2 of the Open eBook Publication Structure).
///
/// It reads the archive's directory, `META-INF/container.xml` and the package document. If the book names no cover
/// image, it also reads the page that may show one.
enum EPUBReader: PublicationReader {
    static var mediaTypes: [MediaType] { [.epub] }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        let archive = try PublicationArchive(input)
        var info = PublicationInfo(format: input.format)
        if let entry = packageEntry(in: archive) {
            let path = entry.path
            if let root = archive.document(entry) {
                let package = PackageDocument(root, path: path)
                let reader = PackageMetadataReader(package)
                info.metadata = reader.metadata()
                archive.shortcomings += reader.shortcomings
                info.cover = EPUBCoverFinder(package: package, archive: archive).cover()
            }
        } else {
            archive.note(.missingPart, "", "The package document is missing.")
        }
        info.shortcomings = archive.shortcomings
        info.completeTitle(from: input)
        return info
    }

    private static let containerPath = "META-INF/container.xml"

    /// The package document. If there are several renditions, the first one is the default (EPUB 3.3, 4.2.6.3.1).
    static func packageEntry(in archive: PublicationArchive) -> ZipEntry? {
        if let container = archive.entry(containerPath) ?? archive.entry(for: containerPath, relativeTo: "") {
            if let root = archive.document(container) {
                let files = (root.firstAnywhere("rootfiles") ?? root).all("rootfile")
                let packages = files.filter {
                    $0["media-type"].map { $0.hasBytes(of: "oebps-package") } ?? true
                }
                for file in packages.isEmpty ? files : packages {
                    guard let path = file["full-path"] else { continue }
                    if let entry = archive.entry(for: path, relativeTo: "") { return entry }
                    archive.note(
                        .missingPart, path,
                        "The package document is not where the container "
                            + "says it is.")
                }
            }
        } else {
            archive.note(.missingPart, containerPath, "It is missing.")
        }
        // Without a usable container document, find package documents by their file extension.
        return archive.entries.filter { EntryPath.fileExtension(of: $0.path) == "opf" }
            .min { EntryPath.depth(of: $0.path) < EntryPath.depth(of: $1.path) }
    }
}
