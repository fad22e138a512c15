import BookModel
import Formats

/// Determines the media types of links by file extension.
package enum MediaTypeByExtension {
    /// The type for the extension of a path; nil if it has none or an unknown one.
    package static func type(ofPath path: some StringProtocol) -> MediaType? {
        let path = Array(path.utf8)
        let nameStart = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        // A leading dot marks a hidden name, not an extension.
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")), dot > nameStart else { return nil }
        let letters = path[(dot + 1)...]
        guard !letters.isEmpty, letters.count <= 9 else { return nil }
        return types[String(decoding: letters, as: UTF8.self).lowercased()]
    }

    /// Atom files beside publications are catalogs.
    private static let types = Dictionary(
        FileFormat.all.compactMap { format in
            format.mediaType.flatMap { MediaType($0) }.map { (format.fileExtension, $0) }
        } + [("atom", .opds1)], uniquingKeysWith: { _, catalog in catalog })
}
