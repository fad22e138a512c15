import Archives
import Formats

/// Reads packages of the Readium project: web publications, audiobooks, visual narratives, and those protected by LCP,
/// all of which hold their metadata openly in `manifest.json`.
enum ReadiumPackageReader: PublicationReader {
    static var mediaTypes: [MediaType] {
        [.webPub, .audiobook, .diViNa, .lcpProtectedAudiobook, .lcpProtectedPdf]
    }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        let archive = try PublicationArchive(input)
        var info = PublicationInfo(format: input.format)
        if let manifest = archive.object("manifest.json").map(ReadiumManifest.init) {
            info.metadata = manifest.publicationMetadata(&archive.shortcomings)
            let isComic = input.format == .diViNa
            if isComic, info.metadata.pageCount == nil, !manifest.readingOrder.isEmpty {
                info.metadata.pageCount = manifest.readingOrder.count
            }
            if let link = manifest.cover(isComic: isComic) { info.cover = cover(link, in: archive) }
        }
        info.shortcomings = archive.shortcomings
        info.completeTitle(from: input)
        return info
    }

    private static func cover(_ link: ReadiumManifest.Link, in archive: PublicationArchive) -> Cover? {
        guard !link.isEncrypted else {
            archive.note(.encrypted, link.href, "The cover is encrypted.")
            return nil
        }
        guard let entry = archive.entry(for: link.href, relativeTo: ""),
            let type = ImageType.of(stated: link.type, path: entry.path)
        else {
            archive.note(.missingCover, link.href, "The cover is not an image in the archive.")
            return nil
        }
        return archive.cover(entry, type: type)
    }
}
