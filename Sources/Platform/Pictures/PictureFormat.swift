/// The format of a picture, recognised by its first bytes because names and media types of pictures are often wrong.
public enum PictureFormat: Sendable {
    case jpeg, png, gif, webp, bmp

    /// The format of a picture that begins with these bytes, of which twelve count; nil for anything else.
    public init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(12))
        if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if head.starts(with: "GIF87a".utf8) || head.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if head.starts(with: "RIFF".utf8), head.dropFirst(8).elementsEqual("WEBP".utf8) {
            self = .webp
        } else if head.starts(with: "BM".utf8) {
            self = .bmp
        } else {
            return nil
        }
    }

    /// The media type, such as `image/png`.
    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .bmp: "image/bmp"
        }
    }
}
