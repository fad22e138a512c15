import Archives
import Formats
import FoundationEssentials
import JSON

/// Reads standalone manifests: Readium's, and publications of OPDS 2. Their covers are separate resources on the web.
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

/// Reads packages of the Readium project: web publications, audiobooks, visual narratives, and LCP-protected
/// packages. All of them have unencrypted metadata in `manifest.json`.
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

/// Creates covers that a document refers to by address. The caller has to download them.
enum RemoteCover {
    /// A cover whose `href` is its address, which is absolute if the address of the document is known. Its `read`
    /// method always throws an error that says so.
    static func cover(href: String, stated: String?, base: String?) -> Cover? {
        let path = String(href.prefix { $0 != "?" && $0 != "#" })
        guard let type = ImageType.of(stated: stated, path: path) else { return nil }
        let address = absolute(href, base: base)
        return Cover(mediaType: type, href: address, size: nil) { () throws(PublicationError) in
            throw PublicationError(
                .notFound, "The cover is not in the file.", subject: address,
                hint: "Download it from its URL.")
        }
    }

    /// The absolute address of a reference, as far as it can be determined without network access (RFC 3986, 5.2).
    static func absolute(_ reference: String, base: String?) -> String {
        guard let base, let scheme = base.firstRange(of: "://"), reference.firstRange(of: "://") == nil else {
            return reference
        }
        if reference.hasPrefix("//") { return base[..<scheme.lowerBound] + ":" + reference }
        let rest = base[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let host = rest.prefix { $0 != "/" }
        let query = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
        let folder = String(rest.dropFirst(host.count))
        let path = EntryPath.resolve(String(reference[..<query]), relativeTo: folder) ?? ""
        return base[..<scheme.upperBound] + host + "/" + path + reference[query...]
    }
}
