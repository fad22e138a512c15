import Formats

extension FormatSample {
    /// More valid documents: other encodings, orders of members, sizes and spellings.
    package static let variants: [FormatSample] =
        markupVariants + manifestVariants + packageVariants + archiveVariants

    // MARK: markup

    private static let atom = "xmlns=\"http://www.w3.org/2005/Atom\""

    private static let markupVariants: [FormatSample] = [
        FormatSample(
            .html, "html", "xhtml",
            text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html PUBLIC "
                + "\"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\n"
                + "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>Walden</title></head>"
                + "<body>\(paragraphs(40))</body></html>"),
        FormatSample(
            .html, "html", "htm",
            text: "\u{FEFF}\n<!-- made by hand -->\n<HTML>\n<HEAD><TITLE>Walden</TITLE></HEAD>\n"
                + "<BODY BGCOLOR=white>\(paragraphs(10))&nbsp;</BODY>\n</HTML>\n"),
        FormatSample(
            .html, "html", "html",
            bytes: [0xFF, 0xFE]
                + "<!doctype html><title>Walden</title><p>I went to the woods.".utf16.flatMap {
                    [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
                }),
        FormatSample(
            .opds1Feed, "opds1Feed", nil,
            text: "<?xml version=\"1.0\"?>\n<?xml-stylesheet href=\"s.css\"?>\n<!-- a catalogue -->\n"
                + "<feed \(atom) xmlns:opds=\"http://opds-spec.org/2010/catalog\"><id>1</id>\(entries(200))</feed>"
        ),
        FormatSample(
            .opds1Feed, "opds1Feed", nil,
            text: "<atom:feed xmlns:atom=\"http://www.w3.org/2005/Atom\"><atom:id>1</atom:id>"
                + "<atom:title>Books</atom:title></atom:feed>"),
        FormatSample(
            .opds1Feed, "opds1Feed", nil,
            text: "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><feed><title>Books</title></feed>"),
        FormatSample(
            .opds1Entry, "opds1Entry", nil,
            text:
                "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<entry \(atom)>\(paragraphs(30))</entry>"
        ),
        FormatSample(
            .opds1Entry, "opds1Entry", nil,
            text: "<a:entry xmlns:a='http://www.w3.org/2005/Atom'><a:title>Walden</a:title></a:entry>"),
        FormatSample(.opds1Entry, "opds1Entry", nil, text: "<entry><title>Walden</title></entry>"),
    ]

    private static func paragraphs(_ count: Int) -> String {
        (1...count).map { "<p>I went to the woods because I wished to live deliberately, \($0).</p>\n" }
            .joined()
    }

    private static func entries(_ count: Int) -> String {
        (1...count).map { "<entry><id>urn:\($0)</id><title>Book \($0)</title></entry>\n" }.joined()
    }

    // MARK: manifests

    private static let opds = "http://opds-spec.org/acquisition"
    private static let audiobookType = "http://schema.org/Audiobook"

    private static let manifestVariants: [FormatSample] = [
        FormatSample(
            .opds2Feed, "opds2Feed", nil,
            text: "{\n  \"publications\": [\(publications(30))],\n  \"metadata\": {\"title\": \"Books\"},\n  "
                + "\"links\": [{\"href\": \"/next\", \"rel\": \"next\"},\n"
                + "    {\"rel\": [\"start\", \"self\"], \"href\": \"/feed\", \"type\": \"application/opds+json\"}]\n}"
        ),
        FormatSample(
            .opds2Feed, "opds2Feed", nil,
            text: "{\"metadata\": {\"title\": {\"en\": \"Books\", \"fr\": \"Livres\"}}, "
                + link("self", "application/opds+json;profile=x")
                + ", \"groups\": [{\"publications\": [\(publications(300))]}]}"),
        FormatSample(
            .opds2Publication, "opds2Publication", nil,
            text: "\u{FEFF}"
                + manifest(link("\(opds)/buy", "text/html"), "\"images\": [\(links("image/jpeg", 9))]")),
        FormatSample(
            .opds2Publication, "opds2Publication", nil,
            text:
                "{\"links\": [{\"href\": \"b.epub\", \"rel\": [\"alternate\", \"\(opds)\"]}, \(links("a/b", 40))], "
                + "\"metadata\": {\"title\": \"Caf\\u00e9\"}}"),
        FormatSample(
            .lcpLicense, "lcpLicense", "lcpl",
            text:
                "{\n  \"provider\": \"https://example.com\",\n  \"id\": \"1\",\n  \"issued\": \"2020-01-01T00:00:00Z\",\n"
                + "  \"encryption\": {\"profile\": \"http://readium.org/lcp/basic-profile\", \"content_key\": "
                + "{\"encrypted_value\": \"\(String(repeating: "aGVsbG8", count: 12))\"}},\n  \"links\": "
                + "[\(links("application/epub+zip", 4))],\n  \"rights\": {\"print\": 10}, \"signature\": {}\n}"
        ),
        FormatSample(
            .audiobookManifest, "audiobookManifest", nil,
            text: "{\n  \"readingOrder\": [\(links("audio/mpeg", 60))],\n  \"metadata\": "
                + "{\n    \"title\": \"Walden\",\n    \"@type\": \"\(audiobookType)\"\n  }\n}"),
        FormatSample(
            .audiobookManifest, "audiobookManifest", nil,
            text: manifest(
                type: audiobookType, link("self", "application/audiobook+json"), order("audio/mpeg"))),
        FormatSample(
            .diViNaManifest, "diViNaManifest", nil,
            text: manifest("\"readingOrder\": [\(links("image/jpeg", 200))]", "\"links\": []")),
        FormatSample(
            .diViNaManifest, "diViNaManifest", nil,
            text: manifest(order("image/webp", "image/gif", "image/png"))),
        FormatSample(
            .webPubManifest, "webPubManifest", nil,
            text: "{\"@context\": \"https://readium.org/webpub-manifest/context.jsonld\", \"metadata\": "
                + "{\"@type\": \"http://schema.org/Book\", \"title\": \"Walden\"}, \"readingOrder\": "
                + "[\(links("text/html", 80))], \(link("self", "application/webpub+json; charset=utf-8"))}"),
        FormatSample(
            .webPubManifest, "webPubManifest", nil,
            text: manifest("\"spine\": [\(links("text/html", 3))]", link("self", "Application/WebPub+JSON"))),
    ]

    private static func links(_ type: String, _ count: Int) -> String {
        (1...count).map {
            "{\"href\": \"resources/part\($0).bin\", \"type\": \"\(type)\", \"title\": \"Part \($0)\"}"
        }
        .joined(separator: ",\n    ")
    }

    private static func publications(_ count: Int) -> String {
        (1...count).map {
            "{\"metadata\": {\"title\": \"Book \($0)\", \"author\": \"A\"}, \"links\": [{\"rel\": \"\(opds)\", "
                + "\"href\": \"/\($0).epub\", \"type\": \"application/epub+zip\"}]}"
        }.joined(separator: ",\n")
    }

    // MARK: packages

    private static let licence =
        "{\"id\": \"1\", \"issued\": \"2020\", \"provider\": \"p\", \"encryption\": {}}"

    private static let packageVariants: [FormatSample] = [
        FormatSample(
            .lcpProtectedAudiobook, "lcpProtectedAudiobook", "lcpa",
            archive: files("audio/%.mp3", 40) + [
                .init(
                    "manifest.json",
                    manifest(type: audiobookType, "\"readingOrder\": [\(links("audio/mpeg", 40))]")),
                .init("license.lcpl", licence),
            ]),
        FormatSample(
            .lcpProtectedPdf, "lcpProtectedPdf", "lcpdf",
            archive: [
                .init("publication.pdf", page), .init("license.lcpl", licence),
                .init("manifest.json", manifest("\"readingOrder\": [\(links("application/pdf;x=1", 3))]")),
            ]),
        FormatSample(
            .audiobook, "audiobook", "audiobook",
            archive: files("audio/%.mp3", 40) + [
                .init(
                    "manifest.json",
                    manifest(type: audiobookType, "\"readingOrder\": [\(links("audio/mpeg", 40))]")),
                .init("cover.jpg", page),
            ]),
        FormatSample(
            .diViNa, "diViNa", "divina",
            archive: files("pages/%.jpg", 200) + [
                .init("manifest.json", manifest("\"readingOrder\": [\(links("image/jpeg", 200))]"))
            ]),
        FormatSample(
            .webPub, "webPub", "webpub",
            archive: [.init("manifest.json", manifest("\"readingOrder\": [\(links("text/html", 80))]"))]
                + files("chapters/%.html", 80)),
        FormatSample(
            .webPub, "webPub", "webpub",
            archive: [
                .init("META-INF/container.xml", "<container/>"),
                .init("./manifest.json", "\u{FEFF}" + manifest()),
                .init("license.lcpl", licence),
            ]),
    ]

    // MARK: archives

    private static let page = (0..<1500).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }

    /// Entries whose names have a number where `pattern` has `%`.
    private static func files(_ pattern: String, _ count: Int) -> [ZipBuilder.Entry] {
        let parts = pattern.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        return (1...count).map { .init("\(parts[0])\($0)\(parts[1])", page) }
    }

    private static let archiveVariants: [FormatSample] = [
        FormatSample(
            .epub, "epub", "epub",
            archive: files("OEBPS/%.xhtml", 60) + [
                .init("META-INF/container.xml", "<container/>"), .init("META-INF/license.lcpl", licence),
            ]),
        FormatSample(
            .epub, "epub", "epub",
            archive: [.init("content.opf", "<package/>"), .init("mimetype", " application/epub+zip\r\n")]),
        FormatSample(
            .cbz, "cbz", "cbz",
            archive: [
                .init("Walden/"), .init("__MACOSX/Walden/._1.jpg", page),
                .init("Walden/ComicInfo.xml", "<x/>"),
            ]
                + files("Walden/%.JPG", 200) + [.init("Walden/Thumbs.db", page)]),
        FormatSample(.cbz, "cbz", "cbz", archive: files("%.webp", 24) + [.init("a.acbf", "<ACBF/>")]),
        FormatSample(
            .zab, "zab", "zab",
            archive: files("disc 1/%.mp3", 30) + files("disc 2/%.OGG", 30) + [
                .init("all.m3u8", "disc 1/1.mp3\n")
            ]),
        FormatSample(.zab, "zab", "zab", archive: files("%.m4b", 3) + [.init(".DS_Store", page)]),
        FormatSample(
            .pdf, "pdf", "pdf",
            bytes: Array("%PDF-1.4\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A] + page + page + page
                + Array("\ntrailer <</Root 1 0 R>>\nstartxref\n9\n%%EOF\n".utf8)),
        FormatSample(.pdf, "pdf", "pdf", text: "%PDF-2.0\r\n" + String(repeating: "%\r\n", count: 4000)),
    ]
}
