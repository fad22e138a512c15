import BookFolders
import MarvinCommands
import OverlayKit
import Platform

/// File formats that Marvin's library may contain.
enum MarvinFormat {
    static let epub = "application/epub+zip"

    /// The media type for a file name; nil if Marvin does not know the format.
    static func mediaType(ofName name: String) -> String? {
        let lower = name.lowercased()
        if lower.hasSuffix(".epub") { return epub }
        if lower.hasSuffix(".cbz") { return "application/vnd.comicbook+zip" }
        if lower.hasSuffix(".cbr") { return "application/vnd.comicbook-rar" }
        return nil
    }
}

/// A small cover of a book.
struct CoverThumbnail: Equatable {
    /// The media type by the file name alone.
    static let jpeg = "image/jpeg"

    var mediaType: String
    var size: UInt64
    /// Present only if the bytes were requested.
    var bytes: [UInt8]?

    init(mediaType: String, size: UInt64, bytes: [UInt8]? = nil) {
        self.mediaType = mediaType
        self.size = size
        self.bytes = bytes
    }

    /// Creates a cover with these bytes; nil if they are not an image.
    init?(image: [UInt8]) {
        guard let format = PictureFormat(image), [.jpeg, .png].contains(format) else { return nil }
        self.init(mediaType: format.mediaType, size: UInt64(image.count), bytes: image)
    }
}

extension EmbeddedCover {
    /// The id of an image for both sides: its MD5 in hexadecimal.
    static func hash(of image: [UInt8]) throws(OverlayError) -> String {
        let digest = Digest(.md5)
        digest.add(image)
        return Hex.text(try digest.finished())
    }
}
