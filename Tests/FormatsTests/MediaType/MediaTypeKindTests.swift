import Formats
import Testing

@Suite("A media type answers the proposal's questions")
struct MediaTypeKindTests {
    @Test("The suffix is what follows the last plus sign")
    func suffix() {
        #expect(MediaType("foo/bar+json+zip")?.structuredSyntaxSuffix == "+zip")
        #expect(MediaType.epub.structuredSyntaxSuffix == "+zip")
        #expect(MediaType.pdf.structuredSyntaxSuffix == nil)
        #expect(MediaType("foo/bar+")?.structuredSyntaxSuffix == nil)
        #expect(MediaType("fo+o/bar")?.structuredSyntaxSuffix == nil)
    }

    static let all: [MediaType] = MediaTypeConstantTests.rows.map(\.constant)

    private func named(_ question: (MediaType) -> Bool) -> Set<MediaType> { Set(Self.all.filter(question)) }

    @Test("The four questions of the proposal have the proposal's answers")
    func draft() {
        #expect(
            named(\.isManifest)
                == [.audiobookManifest, .diViNaManifest, .opds1Entry, .opds2Publication, .webPubManifest])
        #expect(named(\.isOpds) == [.opds1, .opds1Entry, .opds2, .opds2Publication])
        #expect(named(\.isHtml) == [.html, .xhtml])
        #expect(named(\.isBitmap) == [.bmp, .gif, .jpeg, .png, .tiff, .webp])
    }

    @Test(
        "Wildcards are not a manifest, OPDS, HTML or a bitmap", arguments: ["*/*", "image/*", "text/*"])
    func wildcards(_ text: String) throws {
        let type = try #require(MediaType(text))
        #expect(!type.isManifest)
        #expect(!type.isOpds)
        #expect(!type.isHtml)
        #expect(!type.isBitmap)
    }

    @Test("A feed of navigation is OPDS, and its parameters do not make it a manifest")
    func parameters() throws {
        let feed = try #require(MediaType("application/atom+xml;profile=opds-catalog;kind=navigation"))
        #expect(feed.isOpds)
        #expect(!feed.isManifest)
    }

    @Test("Later questions answer by name, suffix or top-level type")
    func later() {
        #expect(MediaType.epub.isZip)
        #expect(MediaType.zip.isZip)
        #expect(MediaType.lcpProtectedPdf.isZip)
        #expect(!MediaType.pdf.isZip)
        #expect(MediaType.opds2.isJson)
        #expect(MediaType.json.isJson)
        #expect(!MediaType.xml.isJson)
        #expect(named(\.isRwpm) == [.audiobookManifest, .diViNaManifest, .webPubManifest])
        #expect(
            named(\.isPublication) == [
                .audiobookManifest, .diViNaManifest, .webPubManifest, .audiobook, .cbz, .diViNa, .epub,
                .lcpProtectedAudiobook, .lcpProtectedPdf, .pdf, .webPub,
            ])
        #expect(
            MediaType.lpf.isPublication && MediaType.zab.isPublication
                && MediaType.w3cWpubManifest.isPublication)
        #expect(MediaType.svg.isImage && !MediaType.svg.isBitmap)
        #expect(MediaType.mp3.isAudio && MediaType.mpeg.isVideo && !MediaType.mp3.isVideo)
    }
}
