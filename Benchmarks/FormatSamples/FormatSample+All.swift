import Formats

extension FormatSample {
    /// A manifest as text.
    ///
    /// - Parameter type: `metadata.@type`.
    /// - Parameter links: further members of the object, such as links and reading order.
    package static func manifest(type: String? = nil, _ members: String...) -> String {
        let type = type.map { "\"@type\": \"\($0)\", " } ?? ""
        return "{\"metadata\": {\(type)\"title\": \"Moby-Dick\"}\(members.map { ", " + $0 }.joined())}"
    }

    /// A link member of a manifest.
    package static func link(_ rel: String, _ type: String) -> String {
        "\"links\": [{\"rel\": \"\(rel)\", \"href\": \"https://example.com/1\", \"type\": \"\(type)\"}]"
    }

    /// A reading order of links of these types.
    package static func order(_ types: String...) -> String {
        "\"readingOrder\": [\(types.map { "{\"href\": \"r\", \"type\": \"\($0)\"}" }.joined(separator: ", "))]"
    }

    private static let audiobookType = "http://schema.org/Audiobook"
    private static let licence =
        "{\"id\": \"1\", \"issued\": \"2020-01-01\", \"provider\": \"https://example.com\", \"encryption\": {}, \"links\": []}"

    /// A sample of each of the 18 formats, in the order of the sniffers.
    package static let all: [FormatSample] = documents + packages

    private static let documents: [FormatSample] = [
        FormatSample(
            .html, "html", "html",
            text:
                "<!DOCTYPE html>\n<html lang=en><head><title>Moby-Dick</title></head><body><p>Call me Ishmael.</body></html>"
        ),
        FormatSample(
            .opds1Feed, "opds1Feed", nil,
            text:
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>1</id>"
                + "<title>Books</title><updated>2020-01-01T00:00:00Z</updated>"
                + "<entry><id>2</id><title>Moby-Dick</title><updated>2020-01-01T00:00:00Z</updated></entry></feed>"
        ),
        FormatSample(
            .opds1Entry, "opds1Entry", nil,
            text:
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<entry xmlns=\"http://www.w3.org/2005/Atom\"><id>1</id>"
                + "<title>Moby-Dick</title><updated>2020-01-01T00:00:00Z</updated>"
                + "<author><name>Herman Melville</name></author><summary>A whale.</summary></entry>"),
        FormatSample(.opds2Feed, "opds2Feed", nil, text: manifest(link("self", "application/opds+json"))),
        FormatSample(
            .opds2Publication, "opds2Publication", nil,
            text: manifest(link("http://opds-spec.org/acquisition/open-access", "application/epub+zip"))),
        FormatSample(.lcpLicense, "lcpLicense", "lcpl", text: licence),
        FormatSample(
            .audiobookManifest, "audiobookManifest", nil,
            text: manifest(type: audiobookType, order("audio/mpeg"))),
        FormatSample(
            .diViNaManifest, "diViNaManifest", nil, text: manifest(order("image/jpeg", "image/png"))),
        FormatSample(
            .webPubManifest, "webPubManifest", nil,
            text: manifest(link("self", "application/webpub+json"), order("text/html"))),
    ]

    private static let packages: [FormatSample] = [
        FormatSample(
            .lcpProtectedAudiobook, "lcpProtectedAudiobook", "lcpa",
            archive: [
                .init("license.lcpl", licence),
                .init("manifest.json", manifest(type: audiobookType, order("audio/mpeg"))),
                .init("1.mp3", "x"),
            ]),
        FormatSample(
            .lcpProtectedPdf, "lcpProtectedPdf", "lcpdf",
            archive: [
                .init("license.lcpl", licence), .init("manifest.json", manifest(order("application/pdf"))),
                .init("1.pdf", "x"),
            ]),
        FormatSample(
            .audiobook, "audiobook", "audiobook",
            archive: [
                .init("manifest.json", manifest(type: audiobookType, order("audio/mpeg"))),
                .init("1.mp3", "x"),
            ]),
        FormatSample(
            .diViNa, "diViNa", "divina",
            archive: [.init("manifest.json", manifest(order("image/jpeg"))), .init("1.jpg", "x")]),
        FormatSample(
            .webPub, "webPub", "webpub",
            archive: [.init("manifest.json", manifest(order("text/html"))), .init("1.html", "x")]),
        FormatSample(
            .epub, "epub", "epub",
            archive: [
                .init("mimetype", "application/epub+zip"),
                .init("META-INF/container.xml", "<container/>"), .init("OEBPS/content.opf", "<package/>"),
            ]),
        FormatSample(.cbz, "cbz", "cbz", archive: [.init("1.jpg", "x"), .init("2.png", "x")]),
        FormatSample(.zab, "zab", "zab", archive: [.init("1.mp3", "x"), .init("list.m3u", "x")]),
        FormatSample(
            .pdf, "pdf", "pdf",
            text: "%PDF-1.7\n1 0 obj <</Type /Catalog>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n"),
    ]

    /// The sample of a format.
    package static func of(_ format: Format) -> FormatSample? { all.first { $0.format == format } }
}
