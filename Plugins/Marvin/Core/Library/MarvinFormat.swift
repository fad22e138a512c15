/// Formats of files that Marvin's library may hold.
enum MarvinFormat {
    static let epub = "application/epub+zip"

    /// The media type a name stands for; nil when it stands for none Marvin knows.
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
    /// What a file is by its name alone.
    static let jpeg = "image/jpeg"

    var mediaType: String
    var size: UInt64
    /// Only when they were asked for.
    var bytes: [UInt8]?

    init(mediaType: String, size: UInt64, bytes: [UInt8]? = nil) {
        self.mediaType = mediaType
        self.size = size
        self.bytes = bytes
    }

    /// A cover of these bytes; nil when they are not an image.
    init?(image: [UInt8]) {
        let isPNG = image.starts(with: [0x89, 0x50, 0x4E, 0x47])
        guard isPNG || image.starts(with: [0xFF, 0xD8]) else { return nil }
        self.init(
            mediaType: isPNG ? "image/png" : Self.jpeg, size: UInt64(image.count), bytes: image)
    }
}
