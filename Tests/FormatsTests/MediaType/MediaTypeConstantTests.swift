import Formats
import Testing

@Suite("The constants of media types match the proposal")
struct MediaTypeConstantTests {
    static let rows: [(constant: MediaType, text: String)] = [
        (.aac, "audio/aac"),
        (.acsm, "application/vnd.adobe.adept+xml"),
        (.aiff, "audio/aiff"),
        (.audiobook, "application/audiobook+zip"),
        (.audiobookManifest, "application/audiobook+json"),
        (.avi, "video/x-msvideo"),
        (.binary, "application/octet-stream"),
        (.bmp, "image/bmp"),
        (.cbz, "application/vnd.comicbook+zip"),
        (.css, "text/css"),
        (.diViNa, "application/divina+zip"),
        (.diViNaManifest, "application/divina+json"),
        (.epub, "application/epub+zip"),
        (.gif, "image/gif"),
        (.gz, "application/gzip"),
        (.javaScript, "text/javascript"),
        (.jpeg, "image/jpeg"),
        (.html, "text/html"),
        (.opds1, "application/atom+xml;profile=opds-catalog"),
        (.opds1Entry, "application/atom+xml;type=entry;profile=opds-catalog"),
        (.opds2, "application/opds+json"),
        (.opds2Publication, "application/opds-publication+json"),
        (.json, "application/json"),
        (.lcpProtectedAudiobook, "application/audiobook+lcp"),
        (.lcpProtectedPdf, "application/pdf+lcp"),
        (.lcpLicenseDocument, "application/vnd.readium.lcp.license.v1.0+json"),
        (.lcpStatusDocument, "application/vnd.readium.license.status.v1.0+json"),
        (.mp3, "audio/mpeg"),
        (.mpeg, "video/mpeg"),
        (.ogg, "audio/ogg"),
        (.ogv, "video/ogg"),
        (.opus, "audio/opus"),
        (.otf, "font/otf"),
        (.pdf, "application/pdf"),
        (.png, "image/png"),
        (.svg, "image/svg+xml"),
        (.text, "text/plain"),
        (.tiff, "image/tiff"),
        (.ttf, "font/ttf"),
        (.wav, "audio/wav"),
        (.webmAudio, "audio/webm"),
        (.webmVideo, "video/webm"),
        (.webp, "image/webp"),
        (.webPub, "application/webpub+zip"),
        (.webPubManifest, "application/webpub+json"),
        (.woff, "font/woff"),
        (.woff2, "font/woff2"),
        (.xhtml, "application/xhtml+xml"),
        (.xml, "application/xml"),
        (.zip, "application/zip"),
    ]

    static let later: [(constant: MediaType, text: String)] = [
        (.avif, "image/avif"),
        (.cbr, "application/vnd.comicbook-rar"),
        (.flac, "audio/flac"),
        (.jxl, "image/jxl"),
        (.lpf, "application/lpf+zip"),
        (.mp4, "audio/mp4"),
        (.ncx, "application/x-dtbncx+xml"),
        (.opdsAuthentication, "application/opds-authentication+json"),
        (.problemDetails, "application/problem+json"),
        (.rar, "application/vnd.rar"),
        (.smil, "application/smil+xml"),
        (.w3cWpubManifest, "application/x.readium.w3c.wpub+json"),
        (.zab, "application/vnd.zab+zip"),
    ]

    @Test("There are fifty, all different")
    func count() {
        #expect(Self.rows.count == 50)
        #expect(Set((Self.rows + Self.later).map(\.constant)).count == Self.rows.count + Self.later.count)
    }

    @Test("Each is the type that its text spells", arguments: rows + later)
    func values(_ constant: MediaType, _ text: String) {
        #expect(constant == MediaType(text))
        #expect(MediaType(constant.string) == constant)
    }
}
