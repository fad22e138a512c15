import Archives
import Formats
import FoundationEssentials
import JSON

/// Reads manifests that stand alone: Readium's, and publications of OPDS 2. Their covers lie elsewhere on the web.
enum ReadiumManifestReader: PublicationReader {
    static var mediaTypes: [MediaType] {
        [.webPubManifest, .audiobookManifest, .diViNaManifest, .opds2Publication]
    }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        let largest = PublicationArchive.largestManifest
        let bytes = try input.bytes(at: 0, count: largest + 1)
        guard bytes.count <= largest else {
            throw PublicationError(
                .tooLarge, "It is larger than \(largest) bytes.", subject: input.name)
        }
        let document: JSONValue
        do throws(JSONSyntaxError) {
            document = try JSONValue(parsingDocument: Array(bytes))
        } catch {
            throw PublicationError(
                .damaged, "It is not well-formed: \(error)", subject: input.name, underlying: error)
        }
        guard let manifest = ReadiumManifest(document) else {
            throw PublicationError(.damaged, "It is not a JSON object.", subject: input.name)
        }
        var info = PublicationInfo(format: input.format)
        info.metadata = manifest.publicationMetadata(&info.shortcomings)
        let isComic = input.format == .diViNaManifest
        if isComic, info.metadata.pageCount == nil, !manifest.readingOrder.isEmpty {
            info.metadata.pageCount = manifest.readingOrder.count
        }
        info.cover = manifest.cover(isComic: isComic).flatMap {
            RemoteCover.cover(href: $0.href, stated: $0.type, base: manifest.selfReference)
        }
        info.completeTitle(from: input)
        return info
    }
}
