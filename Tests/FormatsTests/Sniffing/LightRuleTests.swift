import FormatSamples
import FoundationEssentials
import Formats
import Testing

@Suite("Light rules recognise the format by hints alone")
struct LightRuleTests {
    static let extensions: [(Format, [String])] = [
        (.html, ["htm", "html", "xht", "xhtml"]), (.lcpLicense, ["lcpl"]), (.lcpProtectedAudiobook, ["lcpa"]),
        (.lcpProtectedPdf, ["lcpdf"]), (.audiobook, ["audiobook"]), (.diViNa, ["divina"]),
        (.webPub, ["webpub"]),
        (.epub, ["epub"]), (.cbz, ["cbz"]), (.zab, ["zab"]), (.pdf, ["pdf"]),
    ]

    static let mediaTypes: [(Format, [String])] = [
        (.html, ["text/html", "application/xhtml+xml"]),
        (.opds1Feed, ["application/atom+xml;profile=opds-catalog"]),
        (.opds1Entry, ["application/atom+xml;type=entry;profile=opds-catalog"]),
        (.opds2Feed, ["application/opds+json"]),
        (.opds2Publication, ["application/opds-publication+json"]),
        (.lcpLicense, ["application/vnd.readium.lcp.license.v1.0+json"]),
        (.audiobookManifest, ["application/audiobook+json"]),
        (.diViNaManifest, ["application/divina+json"]),
        (.webPubManifest, ["application/webpub+json"]),
        (.lcpProtectedAudiobook, ["application/audiobook+lcp"]),
        (.lcpProtectedPdf, ["application/pdf+lcp"]),
        (.audiobook, ["application/audiobook+zip"]),
        (.diViNa, ["application/divina+zip"]),
        (.webPub, ["application/webpub+zip"]),
        (.epub, ["application/epub+zip"]),
        (.cbz, ["application/vnd.comicbook+zip", "application/x-cbz", "application/x-cbr"]),
        (.pdf, ["application/pdf"]),
    ]

    @Test(
        "Each extension of the table gives its format, in any case and with a leading dot",
        arguments: extensions)
    func byExtension(_ format: Format, _ extensions: [String]) {
        for name in extensions {
            for hint in [name, name.uppercased(), "." + name, " \(name)\t"] {
                #expect(Format.guess(fileExtensions: [hint]) == format, "\(hint)")
            }
            #expect(Format.guess(path: "/nowhere/book.\(name)") == format)
        }
    }

    @Test(
        "Each media type of the table gives its format, with any parameters", arguments: mediaTypes)
    func byMediaType(_ format: Format, _ types: [String]) {
        for type in types {
            for hint in [
                type,
                type.uppercased().replacing("OPDS-CATALOG", with: "opds-catalog").replacing(
                    "ENTRY", with: "entry"), type + "; charset=binary", " \(type) ",
            ] {
                #expect(Format.guess(mediaTypes: [hint]) == format, "\(hint)")
            }
        }
    }

    @Test(
        "Default extensions for saving, generic types and look-alikes are not evidence",
        arguments: [
            "json", "atom", "xml", "zip", "", ".", "..", "ep ub", "a/epub", "epub/", "x.epub", "..epub",
            "epubx", "epu",
            "cbr", "audiobookx", "a-very-long-extension-indeed", "ÉPUB",
        ])
    func noEvidence(_ hint: String) {
        #expect(Format.guess(fileExtensions: [hint]) == nil)
    }

    @Test(
        "Generic, wild and damaged media types are not evidence",
        arguments: [
            "application/octet-stream", "binary/octet-stream", "text/plain", "application/zip",
            "application/json",
            "application/xml", "*/*", "text/*", "application/*", "garbage", "", "application/atom+xml",
            "application/atom+xml;profile=OPDS-CATALOG", "application/vnd.zab+zip",
        ])
    func noEvidenceByType(_ hint: String) {
        #expect(Format.guess(mediaTypes: [hint]) == nil)
    }

    @Test("The order of the sniffers decides, not that of the hints")
    func order() {
        #expect(Format.guess(fileExtensions: ["pdf", "epub"]) == .epub)
        #expect(Format.guess(fileExtensions: ["epub", "pdf"]) == .epub)
        #expect(Format.guess(path: "a.pdf", fileExtensions: ["cbz"]) == .cbz)
        #expect(Format.guess(fileExtensions: ["epub"], mediaTypes: ["text/html"]) == .html)
        #expect(Format.guess(fileExtensions: ["html"], mediaTypes: ["application/epub+zip"]) == .html)
        #expect(
            Format.guess(fileExtensions: ["epub", "epub"], mediaTypes: ["nonsense", "application/pdf"])
                == .epub)
    }

    @Test("A hint of an entry gives the entry, also beside one of a feed; a feed with a kind is a feed")
    func opdsEntry() {
        let feed = "application/atom+xml;profile=opds-catalog"
        #expect(Format.guess(mediaTypes: ["\(feed);type=entry"]) == .opds1Entry)
        #expect(Format.guess(mediaTypes: [feed, "\(feed);type=entry"]) == .opds1Entry)
        #expect(Format.guess(mediaTypes: ["\(feed);kind=navigation"]) == .opds1Feed)
        #expect(Format.guess(mediaTypes: ["\(feed);kind=acquisition"]) == .opds1Feed)
        #expect(Format.guess(mediaTypes: ["\(feed);type=feed"]) == .opds1Feed)
    }

    @Test(
        "The last extension of the last segment of a path counts",
        arguments: [
            ("a.tar.epub", Format.epub), ("a.epub.gz", nil), (".epub", nil), ("/x/.epub", nil), ("a.", nil),
            ("", nil),
            ("a.epub/b", nil), ("Book.epub/", .epub), ("Book.epub//", .epub), ("/", nil), (".", nil),
            ("..", nil),
            ("a..epub", .epub), ("A.EpUb", .epub), ("b.epub ", .epub), ("b.e pub", nil),
            ("a/.hidden.epub", .epub),
            ("b.epub?x=1", nil), ("ü.epub", .epub), ("x.ü", nil), ("epub", nil),
        ] as [(String, Format?)])
    func paths(_ path: String, _ format: Format?) {
        #expect(Format.guess(path: path, sniffers: Format.defaultSniffers.map(lightOnly)) == format)
    }

    private func lightOnly(_ sniffer: @escaping Format.Sniffer) -> Format.Sniffer {
        { context, inspecting in inspecting ? nil : sniffer(context, false) }
    }

    @Test(
        "A hint with parameters gives the same answer without being parsed",
        arguments: [
            "application/atom+xml", "application/atom+xml;profile=opds-catalog",
            "APPLICATION/Atom+XML ; PROFILE=opds-catalog ; kind=navigation",
            "application/atom+xml;profile=OPDS-CATALOG", "application/atom+xml;profile=\"opds-catalog\"",
            "application/atom+xml;profile=\"opds\\-catalog\";type=entry",
            "application/atom+xml;profile=\"opds-catalog",
            "application/atom+xml;profile=\"opds-catalog\\", "application/atom+xml;profile=\"opds-catalo\"g",
            "application/atom+xml;profile=opds-catalog;profile=other",
            "application/atom+xml;profile=other;profile=opds-catalog",
            "application/atom+xml;;profile=opds-catalog;", "application/atom+xml;profile",
            "application/atom+xml;=opds-catalog",
            "application/atom+xml;profile=opds-catalog;type=feed", "application/atom+xml;type=entry",
            "application/atom+xml;type=entry;profile=opds-catalog;type=feed",
            "application/atom+xml;profile = opds-catalog",
            "application/atom+xml;profile=opds-catalog=x",
            "application/atom+xml;x=\";\";profile=opds-catalog",
            "application/atom+xml;x=\"\\\"\";profile=opds-catalog;type=\"entry\"",
            "application/atom+xml;profile=\"\"",
            "application/atom+xml,text/html;profile=opds-catalog",
            "application/atom+xml;pro file=opds-catalog",
            "application/atom+xml;profile=opds-catalog;type=\"entr\\y\" junk;a=b",
        ])
    func parameters(_ hint: String) {
        let type = MediaType(hint)
        let expected: Format? =
            type.map(MediaType.opds1Entry.contains) == true
            ? .opds1Entry : type.map(MediaType.opds1.contains) == true ? .opds1Feed : nil
        #expect(Format.guess(mediaTypes: [hint]) == expected)
    }
}
