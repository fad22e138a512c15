import Fetching
import Formats
import FormatsNetworking
import Foundation
import FoundationNetworking
import Testing

@Suite("The format of an HTTP response is recognised") struct GuessFormatTests {
    private static let pdf = Data("%PDF-1.7\n".utf8)

    private func both(
        _ url: String, _ headers: [String: String], bytes: Data, requested: String? = nil
    ) throws -> [Format?] {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.add(name, value) }
        let ours = HTTPResponse(url: url, status: 200, headers: fields)
        let parsed = try #require(URL(string: url))
        let theirs = try #require(
            HTTPURLResponse(
                url: parsed, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers))
        return [
            ours.guessFormat(bytes: { bytes }, requestedURL: requested),
            theirs.guessFormat(bytes: { bytes }, fileExtensions: requested == nil ? [] : ["epub"]),
        ]
    }

    @Test("The content type decides, without reading the body")
    func contentType() throws {
        for format in try both("http://h/x", ["content-TYPE": "application/pdf; x=y"], bytes: Data()) {
            #expect(format == .pdf)
        }
    }

    @Test("The suggested file name decides if the type is generic")
    func disposition() throws {
        let headers = [
            "Content-Type": "application/octet-stream",
            "CONTENT-disposition": "attachment; FILENAME=\"a b.cbz\"",
        ]
        for format in try both("http://h/download?f=x.pdf", headers, bytes: Data()) {
            #expect(format == .cbz)
        }
    }

    @Test("The last address counts before the one that was asked for, and both before the body")
    func addresses() throws {
        for format in try both("http://h/final", [:], bytes: Self.pdf, requested: "http://h/x.epub") {
            #expect(format == .epub)
        }
        for format in try both("http://h/final.pdf", [:], bytes: Data()) { #expect(format == .pdf) }
    }

    @Test("The body decides without a hint, and unknown bytes have no format")
    func body() throws {
        for format in try both("http://h/x", [:], bytes: Self.pdf) { #expect(format == .pdf) }
        for format in try both("http://h/x", [:], bytes: Data("?".utf8)) { #expect(format == nil) }
    }
}
