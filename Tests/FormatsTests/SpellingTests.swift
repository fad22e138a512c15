import Archives
import Formats
import FoundationEssentials
import JSON
import Testing

/// The draft's example of a custom sniffer.
private func sniffAcsm(context: any Format.SnifferContext, inspectingContent: Bool) -> Format? {
    if context.hasFileExtension("acsm") || context.hasMediaType("application/vnd.adobe.adept+xml") {
        return acsmFormat
    }
    if inspectingContent, context.contentAsXml?.documentNode.tag == "fulfillmentToken" {
        return acsmFormat
    }
    return nil
}

private let acsmFormat = Format(mediaType: .acsm, name: "Adobe Content Server Message", fileExtension: "acsm")

@Suite("A client written from the proposal compiles and runs")
struct SpellingTests {
    @Test("Media types compile and compare")
    func mediaTypes() throws {
        let type: MediaType = try #require(MediaType("text/html; charset=utf-8"))
        let text: String = type.string
        let parameters: [String: String] = type.parameters
        #expect(text == "text/html;charset=UTF-8" && parameters == ["charset": "UTF-8"])
        #expect(type.type == "text" && type.subtype == "html")
        #expect(MediaType.html.contains(type) && MediaType.html.contains("text/html"))
        #expect(type.matches(.html) && type.matches("text/html") && type.matchesAny(.pdf, .html))
        #expect(MediaType.html ~= type)
        #expect(type.isHtml && !type.isManifest && !type.isOpds && !type.isBitmap)
        #expect(!type.isZip && !type.isJson && !type.isAudio && !type.isVideo && !type.isImage)
        #expect(!type.isRwpm && !type.isPublication && type.structuredSyntaxSuffix == nil)
        #expect(type.encoding == String.Encoding.utf8)
        #expect(MediaType("application/x-cbz")?.canonicalized == .cbz)
    }

    @Test("Formats compile and are guessed")
    func formats() {
        let mine = Format(mediaType: .acsm, name: "ACSM", fileExtension: "acsm")
        #expect(
            mine == acsmFormat && mine.mediaType == .acsm && mine.name == "ACSM"
                && mine.fileExtension == "acsm")
        let sniffers: [Format.Sniffer] = Format.defaultSniffers + [sniffAcsm]
        #expect(Format.guess(path: "a.epub") == .epub)
        #expect(
            Format.guess(path: "a", fileExtensions: ["acsm"], mediaTypes: ["x/y"], sniffers: sniffers) == mine
        )
        #expect(
            Format.guess(
                bytes: { Data("<fulfillmentToken/>".utf8) }, fileExtensions: [], mediaTypes: [],
                sniffers: sniffers)
                == mine)
        #expect(Format.guess(bytes: { Data("%PDF".utf8) }) == .pdf)
        #expect(
            Format.guess(fileExtensions: ["pdf"], mediaTypes: [], sniffers: Format.defaultSniffers) == .pdf)
        #expect(Format.guessExtended(path: "a.png") == .png)
        #expect(!Format.extendedSniffers.isEmpty)
    }

    @Test("Contexts compile and give hints")
    func contexts() throws {
        let contexts: [any Format.SnifferContext] = [
            Format.FileSnifferContext(path: "/nowhere/a.EPUB", mediaTypes: ["a/b"], fileExtensions: ["x"]),
            Format.BytesSnifferContext(
                bytes: { Data() }, mediaTypes: ["a/b"], fileExtensions: ["EPUB", "x"]),
            Format.MetadataSnifferContext(mediaTypes: ["a/b"], fileExtensions: ["EPUB", "x"]),
        ]
        for context in contexts {
            let types: [String] = context.mediaTypes
            let extensions: [String] = context.fileExtensions
            #expect(types == ["a/b"] && extensions == ["EPUB", "x"])
            #expect(context.hasFileExtension("epub") && context.hasFileExtension("a", "X"))
            let any = try #require(MediaType("a/*"))
            #expect(context.hasMediaType("a/b") && context.hasMediaType(any))
            let json: JSONObject? = context.contentAsJson
            let xml: XmlDocument? = context.contentAsXml
            let zip: ZipArchive? = context.contentAsZip
            let text: String? = context.contentAsString
            #expect(json == nil && xml == nil && zip == nil && (text ?? "").isEmpty)
            let stream: ContentStream? = context.stream()
            #expect(try (stream?.read(1) ?? Data()).isEmpty)
            context.close()
        }
    }

    @Test("Files compile and are moved")
    func files() {
        let file = File(
            path: "/nowhere/a", sourceURL: "https://example.com/b.cbz", mediaTypes: [],
            formatSniffers: Format.defaultSniffers)
        #expect(file.path == "/nowhere/a" && file.sourceURL == "https://example.com/b.cbz")
        #expect(file.format == .cbz)
        #expect(file.move(destinationPath: "/nowhere/b") == nil)
        #expect(File(path: "/nowhere/a.pdf").format == .pdf)
        #expect(File(path: "/nowhere/a", sourceURL: URL(string: "https://example.com/b.zab")).format == .zab)
        #expect(File(path: "/nowhere/a", sourceURL: nil).format == nil)
    }
}
