import Formats
import Testing

@Suite("The constants of formats match the proposal")
struct FormatConstantTests {
    static let rows: [(format: Format, name: String, fileExtension: String, mediaType: String)] = [
        (.audiobook, "Audiobook", "audiobook", "application/audiobook+zip"),
        (.audiobookManifest, "Audiobook", "json", "application/audiobook+json"),
        (.cbz, "Comic Book Archive", "cbz", "application/vnd.comicbook+zip"),
        (.diViNa, "Digital Visual Narratives", "divina", "application/divina+zip"),
        (.diViNaManifest, "Digital Visual Narratives", "json", "application/divina+json"),
        (.epub, "EPUB", "epub", "application/epub+zip"),
        (.html, "HTML", "html", "text/html"),
        (.opds1Feed, "OPDS", "atom", "application/atom+xml;profile=opds-catalog"),
        (.opds1Entry, "OPDS", "atom", "application/atom+xml;type=entry;profile=opds-catalog"),
        (.opds2Feed, "OPDS", "json", "application/opds+json"),
        (.opds2Publication, "OPDS", "json", "application/opds-publication+json"),
        (.lcpProtectedAudiobook, "LCP Protected Audiobook", "lcpa", "application/audiobook+lcp"),
        (.lcpProtectedPdf, "LCP Protected PDF", "lcpdf", "application/pdf+lcp"),
        (.lcpLicense, "LCP License", "lcpl", "application/vnd.readium.lcp.license.v1.0+json"),
        (.pdf, "PDF", "pdf", "application/pdf"),
        (.webPub, "Web Publication", "webpub", "application/webpub+zip"),
        (.webPubManifest, "Web Publication", "json", "application/webpub+json"),
        (.zab, "Zipped Audio Book", "zab", "application/vnd.zab+zip"),
    ]

    @Test("Each has the name, extension and media type of the table", arguments: rows)
    func values(_ format: Format, _ name: String, _ fileExtension: String, _ mediaType: String) {
        #expect(format.name == name)
        #expect(format.fileExtension == fileExtension)
        #expect(format.mediaType == MediaType(mediaType))
    }

    @Test("There are eighteen, one per media type")
    func count() {
        #expect(Set(Self.rows.map(\.format)).count == 18)
    }

    @Test("Equality is that of the media type")
    func equality() {
        let other = Format(mediaType: .epub, name: "Book", fileExtension: "book")
        #expect(other == .epub)
        #expect(other.hashValue == Format.epub.hashValue)
        #expect(other != Format(mediaType: .pdf, name: "Book", fileExtension: "book"))
    }

    @Test("Questions are answered by the media type")
    func kinds() {
        #expect(Format.opds1Entry.isManifest && Format.opds1Feed.isOpds && Format.html.isHtml)
        #expect(Format.epub.isZip && Format.lcpLicense.isJson && Format.webPubManifest.isRwpm)
        #expect(Format.pdf.isPublication && !Format.pdf.isBitmap && !Format.pdf.isAudio)
        #expect(!Format.pdf.isVideo && !Format.pdf.isImage)
    }
}
