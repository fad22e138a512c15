import Archives
import Formats

/// Reads publications in the Lightweight Packaging Format of W3C: a ZIP archive with the manifest `publication.json`.
enum LPFReader: PublicationReader {
    static var mediaTypes: [MediaType] { [.lpf] }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        let archive = try PublicationArchive(input)
        var info = PublicationInfo(format: input.format)
        if let manifest = archive.object("publication.json").map(WebPublicationManifest.init) {
            info.metadata = manifest.publicationMetadata(&archive.shortcomings)
            if let link = manifest.cover { info.cover = cover(link, in: archive) }
        }
        info.shortcomings = archive.shortcomings
        info.completeTitle(from: input)
        return info
    }

    private static func cover(_ link: WebPublicationManifest.Link, in archive: PublicationArchive) -> Cover? {
        guard let entry = archive.entry(for: link.url, relativeTo: ""),
            let type = ImageType.of(stated: link.type, path: entry.path)
        else {
            archive.note(.missingCover, link.url, "The cover is not an image in the archive.")
            return nil
        }
        return archive.cover(entry, type: type)
    }
}
