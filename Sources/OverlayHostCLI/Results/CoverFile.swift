import Glibc
import OverlayHost
import Platform

/// A local image for a book's cover.
enum CoverFile {
    /// The largest image in bytes: 16 MiB.
    static let largest = 16 << 20

    /// Reads the image. Throws `inputUnreadable`, or `unsupportedFormat` if it is not JPEG or PNG.
    static func read(_ path: String) throws(HostError) -> BookCover {
        guard !path.isEmpty else {
            throw HostError(
                .usage, "Covers cannot be removed.", subject: "--cover",
                hint: "Give an image file.")
        }
        let content = try OpenContent(path: path)
        defer { content.close() }
        let length = try content.length()
        guard length <= UInt64(largest) else {
            throw HostError(
                .unsupportedFormat, "The image is larger than \(largest >> 20) MiB.", subject: path,
                hint: "Resize or compress the image first.")
        }
        var bytes: [UInt8] = []
        _ = try content.read(nil, nil) { piece throws(HostError) in bytes += piece }
        guard let format = PictureFormat(bytes), [.jpeg, .png].contains(format) else {
            throw HostError(
                .unsupportedFormat, "A cover must be a JPEG or PNG image.", subject: path,
                hint: "Convert the image first.")
        }
        return BookCover(mediaType: format.mediaType, size: UInt64(bytes.count), data: bytes)
    }
}
