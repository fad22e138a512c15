import Formats
import FormatsNetworking
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("HTTP responses give hints of the format")
struct ResponseHintTests {
    @Test(
        "The file name of Content-Disposition gives an extension (RFC 6266)",
        arguments: [
            ("attachment; filename=book.epub", "epub"), ("attachment; filename=\"my; book.epub\"", "epub"),
            ("ATTACHMENT; FILENAME=x.cbz", "cbz"), ("inline;filename = \"a\\\"b.pdf\"", "pdf"),
            ("attachment; filename=\"a.pdf\"; filename*=UTF-8''b%20%C3%A9.epub", "epub"),
            ("attachment; filename*=utf-8'en'b.epub; filename=a.pdf", "epub"),
            ("attachment; filename*=iso-8859-1''%E9.zab; filename=a.pdf", "zab"),
            ("attachment; filename*=UTF-8''%ZZ.epub; filename=a.pdf", "pdf"),
            ("attachment; filename*=x.epub; filename=a.pdf", "pdf"),
            ("attachment; filename*=KOI8-R''x.epub; filename=a.pdf", "pdf"),
            ("attachment; filename=\"../../etc/x.epub\"", "epub"),
            ("attachment; filename=\"C:\\\\b\\\\x.epub\"", "epub"),
            ("attachment; filename=\"x.epub/\"", nil), ("attachment; filename=\".epub\"", nil),
            ("attachment", nil), ("", nil),
            ("attachment; filename=", nil), ("attachment; filename=noextension", nil),
            ("filename=x.epub", nil),
            ("attachment; filename*=UTF-8''a%2Fb.epub", "epub"), (";;;filename=a.cbz;;", "cbz"),
        ] as [(String, String?)])
    func disposition(_ header: String, _ expected: String?) {
        let hints = ResponseHints(contentDisposition: header, contentType: nil, addresses: [])
        #expect(hints.fileExtensions == (expected.map { [$0] } ?? []))
        #expect(hints.mediaTypes.isEmpty)
    }

    @Test(
        "The last segment of an address's path gives an extension, never query, fragment or host",
        arguments: [
            ("https://example.com/a/b.epub", "epub"), ("https://example.com/a/b.epub?x=c.pdf#d.cbz", "epub"),
            ("https://example.com/a?x=c.pdf", nil), ("https://example.com", nil),
            ("https://example.com/", nil),
            ("https://example.com/b%2Eepub", "epub"), ("https://example.com/a%3Fb.epub", "epub"),
            ("https://example.com/a%2Fb.epub", "epub"), ("https://example.com/b.epub/", "epub"),
            ("a/b.cbz", "cbz"), ("b.cbz", "cbz"),
            ("file:///a/b.zab", "zab"), ("https://example.com/%.epub", "epub"),
            ("https://u:p@example.com:80/b.pdf", "pdf"),
            ("https://example.com#x.epub", nil), ("https://example.com?x.epub", nil),
            ("mailto:a@b.pdf", "pdf"), ("", nil),
        ] as [(String, String?)])
    func address(_ address: String, _ expected: String?) {
        let hints = ResponseHints(contentDisposition: nil, contentType: nil, addresses: [address])
        #expect(hints.fileExtensions == (expected.map { [$0] } ?? []))
    }

    @Test("Hints come in the prescribed order, header names in any case")
    func order() {
        let hints = ResponseHints(
            headers: [
                ("content-TYPE", "text/plain"), ("CONTENT-disposition", "attachment; filename=a.epub"),
                ("Content-Type", "x/y"),
            ],
            addresses: ["https://example.com/final.cbz", "https://example.com/asked.zab"],
            fileExtensions: ["extra"],
            mediaTypes: ["extra/type"])
        #expect(hints.fileExtensions == ["epub", "cbz", "zab", "extra"])
        #expect(hints.mediaTypes == ["text/plain", "extra/type"])
    }

    private func response(_ url: String, _ headers: [String: String]) throws -> HTTPURLResponse {
        let url = try #require(URL(string: url))
        return try #require(
            HTTPURLResponse(url: url, statusCode: 404, httpVersion: "HTTP/1.1", headerFields: headers))
    }

    @Test("A response guesses by headers and address before its body, which is fetched once if need be")
    func guess() throws {
        var calls = 0
        let body: () -> Data = {
            calls += 1
            return Data("<html>".utf8)
        }
        let named = try response(
            "https://example.com/1", ["content-disposition": "attachment; FILENAME=x.cbz"])
        #expect(named.guessFormat(bytes: body) == .cbz)
        #expect(
            try response("https://example.com/x.epub?y", ["Content-Type": "application/octet-stream"])
                .guessFormat(bytes: body) == .epub)
        #expect(
            try response("https://example.com/x.epub", ["Content-Type": "text/html; charset=utf-8"])
                .guessFormat(bytes: body) == .html)
        #expect(
            try response("https://example.com/1", ["Content-Type": "application/opds+json;x=1"]).guessFormat(
                bytes: body) == .opds2Feed)
        #expect(calls == 0)
        let plain = try response("https://example.com/1", [:])
        #expect(
            plain.guessFormat(
                bytes: body, fileExtensions: [], mediaTypes: [], sniffers: Format.defaultSniffers) == .html)
        #expect(calls == 1)
        #expect(plain.guessFormat(bytes: body, mediaTypes: ["application/pdf"]) == .pdf)
        #expect(plain.guessFormat(bytes: body, requestURL: URL(string: "https://example.com/a.zab")) == .zab)
        #expect(plain.guessFormat() == nil && named.guessFormat() == .cbz)
        #expect(calls == 1)
    }

    @Test(
        "Generic types decide nothing",
        arguments: [
            "application/octet-stream", "binary/octet-stream", "text/plain", "application/zip",
            "application/json", "application/xml",
        ])
    func generic(_ type: String) throws {
        #expect(
            try response("https://example.com/1", ["Content-Type": type]).guessFormat(bytes: {
                Data("%PDF-1.4".utf8)
            }) == .pdf)
    }
}
