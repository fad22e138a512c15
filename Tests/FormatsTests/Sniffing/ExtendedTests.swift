import FormatSamples
import FoundationEssentials
import Platform
import Testing

@testable import Formats

@Suite("Later formats are recognised on request")
struct ExtendedTests {
    static let rows: [(Format, String, String, [String], [String])] = [
        (.acsm, "Adobe Content Server Message", "acsm", ["acsm"], ["application/vnd.adobe.adept+xml"]),
        (.avif, "AVIF", "avif", ["avif", "avifs"], ["image/avif"]),
        (.bmp, "BMP", "bmp", ["bmp", "dib"], ["image/bmp", "image/x-bmp"]),
        (.gif, "GIF", "gif", ["gif"], ["image/gif"]),
        (.jpeg, "JPEG", "jpg", ["jpg", "jpeg", "jpe", "jif", "jfif", "jfi"], ["image/jpeg"]),
        (.jxl, "JPEG XL", "jxl", ["jxl"], ["image/jxl"]),
        (.png, "PNG", "png", ["png"], ["image/png"]),
        (.tiff, "TIFF", "tiff", ["tiff", "tif"], ["image/tiff", "image/tiff-fx"]),
        (.webp, "WebP", "webp", ["webp"], ["image/webp"]),
        (.lpf, "Lightweight Packaging Format", "lpf", ["lpf"], ["application/lpf+zip"]),
        (.w3cWpubManifest, "Web Publication", "json", [], ["application/x.readium.w3c.wpub+json"]),
        (
            .opdsAuthentication, "OPDS Authentication Document", "json", [],
            ["application/opds-authentication+json", "application/vnd.opds.authentication.v1.0+json"]
        ),
        (.cbr, "Comic Book Archive (RAR)", "cbr", ["cbr"], ["application/vnd.comicbook-rar"]),
        (
            .rar, "RAR", "rar", ["rar"],
            ["application/vnd.rar", "application/x-rar", "application/x-rar-compressed"]
        ),
        (
            .zab, "Zipped Audio Book", "zab", [],
            ["application/vnd.zab+zip", "application/x.readium.zab+zip"]
        ),
        (.aac, "AAC", "aac", ["aac"], ["audio/aac"]),
        (.aiff, "AIFF", "aiff", ["aiff", "aif", "aifc"], ["audio/aiff", "audio/x-aiff"]),
        (.flac, "FLAC", "flac", ["flac"], ["audio/flac"]),
        (.mp3, "MP3", "mp3", ["mp3"], ["audio/mpeg"]),
        (.mp4, "MPEG-4 Audio", "m4a", ["mp4", "m4a", "m4b", "m4p", "m4r", "alac"], ["audio/mp4"]),
        (.ogg, "Ogg", "oga", ["ogg", "oga", "mogg"], ["audio/ogg"]),
        (.opus, "Opus", "opus", ["opus"], ["audio/opus"]),
        (.wav, "WAV", "wav", ["wav", "wave"], ["audio/wav", "audio/x-wav", "audio/wave"]),
        (.webmAudio, "WebM Audio", "webm", ["webm"], ["audio/webm"]),
        (.css, "CSS", "css", ["css"], ["text/css"]),
        (.javaScript, "JavaScript", "js", ["js"], ["text/javascript", "application/javascript"]),
        (.problemDetails, "JSON Problem Details", "json", [], ["application/problem+json"]),
        (.json, "JSON", "json", ["json"], ["application/json"]),
        (.xml, "XML", "xml", ["xml"], ["application/xml", "text/xml"]),
        (.zip, "ZIP", "zip", ["zip"], ["application/zip"]),
    ]

    @Test("Names, extensions and light rules are those of the table, and only on request", arguments: rows)
    func light(
        _ format: Format, _ name: String, _ fileExtension: String, _ extensions: [String],
        _ mediaTypes: [String]
    ) {
        #expect(format.name == name && format.fileExtension == fileExtension)
        for hint in extensions {
            #expect(Format.guessExtended(fileExtensions: [hint]) == format)
            if format != .xml { #expect(Format.guess(fileExtensions: [hint]) == nil) }
        }
        for hint in mediaTypes {
            #expect(Format.guessExtended(mediaTypes: [hint]) == format)
            #expect(Format.guess(mediaTypes: [hint]) == nil)
        }
    }

    static let contents: [(Format?, [UInt8])] = [
        (.acsm, Array("<fulfillmentToken xmlns='http://ns.adobe.com/adept'/>".utf8)),
        (.bmp, Array("BM".utf8)),
        (.gif, Array("GIF87a".utf8)), (.gif, Array("GIF89a".utf8)), (nil, Array("GIF88a".utf8)),
        (.jpeg, [0xFF, 0xD8, 0xFF]),
        (nil, [0xFF, 0xD8]), (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (nil, [0x89, 0x50, 0x4E, 0x47]),
        (.tiff, [0x49, 0x49, 0x2A, 0]), (.tiff, [0x4D, 0x4D, 0, 0x2A]), (nil, [0x49, 0x49, 0, 0x2A]),
        (.webp, Array("RIFFxxxxWEBP".utf8)), (nil, Array("RIFFxxxxWAVE".utf8)),
        (nil, Array("RIFFxxxxWEB".utf8)),
        (.rar, [0x52, 0x61, 0x72, 0x21, 0x1A, 7, 0]), (.rar, [0x52, 0x61, 0x72, 0x21, 0x1A, 7, 1, 0]),
        (nil, [0x52, 0x61, 0x72, 0x21, 0x1A, 7, 1, 1]),
        (
            .w3cWpubManifest,
            Array("{\"@context\": [\"https://schema.org\", \"https://www.w3.org/ns/wp-context\"]}".utf8)
        ),
        (.w3cWpubManifest, Array("{\"@context\": \"https://www.w3.org/ns/wp-context\"}".utf8)),
        (.opdsAuthentication, Array("{\"id\": 1, \"title\": 2, \"authentication\": 3}".utf8)),
        (.json, Array("{\"id\": 1, \"title\": 2}".utf8)), (.json, Array("[1]".utf8)),
        (nil, Array("{1}".utf8)),
        (.xml, Array("<a/>".utf8)), (nil, Array("<a".utf8)), (.zip, Array("PK\u{3}\u{4}".utf8)),
        (.zip, ZipBuilder.archive(named: "index.html", "a.css")),
        (
            .lpf,
            ZipBuilder.archive([
                .init("publication.json", "{\"@context\": [\"https://www.w3.org/ns/pub-context\"]}"),
                .init("a.html", "x"),
            ])
        ),
        (
            .zip,
            ZipBuilder.archive([.init("publication.json", "{\"@context\": \"https://www.w3.org/ns/other\"}")])
        ),
        (nil, Array("plain text".utf8)), (nil, []),
    ]

    @Test("Heavy rules are those of the table", arguments: contents)
    func heavy(_ format: Format?, _ content: [UInt8]) {
        #expect(Format.guessExtended(bytes: { Data(content) }) == format)
        #expect(Format.guess(bytes: { Data(content) }) == nil)
    }

    @Test("Covers are recognised by the same first bytes", arguments: contents)
    func covers(_ format: Format?, _ content: [UInt8]) {
        let isPicture = [.bmp, .gif, .jpeg, .png, .webp].contains(format)
        #expect(PictureFormat(content)?.mediaType == (isPicture ? format?.mediaType.string : nil))
    }

    @Test("No result of the 18 changes, with or without hints", arguments: FormatSample.all)
    func unchanged(_ sample: FormatSample) {
        #expect(Format.guessExtended(bytes: { Data(sample.content) }) == sample.format)
        for hint in ["json", "xml", "zip", "png", "xht"] {
            let expected = Format.guess(bytes: { Data(sample.content) }, fileExtensions: [hint])
            #expect(Format.guessExtended(bytes: { Data(sample.content) }, fileExtensions: [hint]) == expected)
        }
    }

    @Test("A page named as an image that is a PDF is a PDF, unless the lists are joined")
    func order() {
        #expect(Format.guessExtended(bytes: { Data("%PDF".utf8) }, fileExtensions: ["png"]) == .pdf)
        let joined = Format.defaultSniffers + Format.extendedSniffers
        #expect(Format.guess(bytes: { Data("%PDF".utf8) }, fileExtensions: ["png"], sniffers: joined) == .png)
    }

    static let generic = ["zip", "xml", "json"].flatMap { [($0, []), ("bin", ["application/\($0)"])] }

    @Test("A hint of a generic type does not hide the format of the content", arguments: generic)
    func genericHints(_ fileExtension: String, _ mediaTypes: [String]) {
        for (format, content) in Self.contents where format != nil {
            let guess = Format.guessExtended(
                bytes: { Data(content) }, fileExtensions: [fileExtension], mediaTypes: mediaTypes)
            #expect(guess == format)
            let alone = Format.guess(
                bytes: { Data(content) }, fileExtensions: [fileExtension], mediaTypes: mediaTypes,
                sniffers: Format.extendedSniffers)
            #expect(alone == format)
        }
    }

    @Test("A hint of a generic type counts if the content has no known format, and is reported as a hint")
    func genericHintLast() {
        for (hint, format) in [("zip", Format.zip), ("xml", .xml), ("json", .json)] {
            let report = Format.explain(
                bytes: { Data("plain text".utf8) }, fileExtensions: [hint], otherwise: Format.extendedSniffers
            )
            #expect(report.format == format && report.round == .light)
            #expect(report.sniffer == hint && report.evidence == "extension \(hint)")
            #expect(report.bytesRead == 10)
            #expect(Format.guessExtended(path: "/nowhere/a.\(hint)") == format)
        }
    }

    private static func readingOrder(_ types: String?...) -> String {
        let links = types.map { type in
            "{\"href\": \"a\"" + (type.map { ", \"type\": \"\($0)\"" } ?? "") + "}"
        }
        return "\"readingOrder\": [\(links.joined(separator: ", "))]"
    }

    static let audio = readingOrder("audio/mpeg", "audio/x-other")

    @Test("A manifest whose reading order has only audio is an audiobook in the later list alone")
    func audiobookManifest() {
        for (order, format) in [
            (Self.audio, Format.audiobookManifest), (Self.readingOrder("audio/mpeg", nil), .json),
            (Self.readingOrder("audio/mpeg", "image/png"), .json), (Self.readingOrder(), .json),
        ] {
            let manifest = Data(FormatSample.manifest(order).utf8)
            #expect(Format.guess(bytes: { manifest }) == nil)
            #expect(Format.guessExtended(bytes: { manifest }) == format)
        }
        let report = Format.explain(
            bytes: { Data(FormatSample.manifest(Self.audio).utf8) }, otherwise: Format.extendedSniffers)
        #expect(report.sniffer == "audiobookManifest" && report.round == .heavy)
        #expect(report.evidence == "manifest with a reading order of audio")
    }

    @Test(
        "The later list takes packages of audio for audiobooks; the proposal's list keeps them as they are")
    func audiobookPackages() {
        let manifest = ZipBuilder.Entry("manifest.json", FormatSample.manifest(Self.audio))
        let licence = ZipBuilder.Entry("license.lcpl", "{}")
        for (entries, format) in [
            ([manifest], Format.audiobook), ([manifest, licence], .lcpProtectedAudiobook),
        ] {
            let package = Data(ZipBuilder.archive(entries))
            #expect(Format.guess(bytes: { package }, sniffers: Format.extendedSniffers) == format)
            #expect(Format.guessExtended(bytes: { package }) == .webPub)
        }
    }

    @Test("A hint of problem details beats generic JSON; XHTML is its own format only in the later list")
    func precedence() {
        #expect(
            Format.guessExtended(
                bytes: { Data("{}".utf8) }, fileExtensions: ["json"], mediaTypes: ["application/problem+json"]
            ) == .problemDetails)
        let page = "<html xmlns='http://www.w3.org/1999/xhtml'/>"
        #expect(Format.guess(bytes: { Data(page.utf8) }, sniffers: Format.extendedSniffers) == .xhtml)
        #expect(Format.guessExtended(bytes: { Data(page.utf8) }) == .html)
        #expect(Format.guess(bytes: { Data("<html/>".utf8) }, sniffers: Format.extendedSniffers) == .xml)
        #expect(Format.guess(fileExtensions: ["xht"], sniffers: Format.extendedSniffers) == .xhtml)
    }

    @Test("Aliases become the canonical media type, unknown types stay")
    func canonical() throws {
        let pairs = [
            ("audio/x-wav", "audio/wav"), ("application/x-cbr", "application/vnd.comicbook+zip"),
            ("application/x.readium.zab+zip", "application/vnd.zab+zip"),
            ("text/html;charset=utf-8", "text/html"), ("a/b;c=d", "a/b;c=d"),
        ]
        for (alias, canonical) in pairs {
            #expect(try #require(MediaType(alias)).canonicalized.string == canonical)
        }
    }
}
