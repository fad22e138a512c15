import Fetching
import Foundation
import HTTPTestSupport
import JSON
import Testing

@Suite("Answers complete a link") struct HTTPLinkTests {
    @Test("Reading the link sends nothing")
    func lazy() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?type=text%2Fhtml")
        #expect(resource.link == Link(href: server.url("/r/book?type=text%2Fhtml")))
        #expect(try server.requests("/r/book").isEmpty)
    }

    @Test("Type and metadata come after any answer, the caller's properties stay")
    func enriched() throws {
        let server = try ScriptedServer()
        let options = [
            "type": "audio/mpeg", "etag": "\"v1\"", "modified": "Sun, 06 Nov 1994 08:49:37 GMT",
            "date": "Mon, 07 Nov 1994 08:49:37 GMT", "cc": "max-age=60", "expires": "0", "age": "7",
            "vary": "Accept-Language",
        ]
        try server.set("/r/book", options)
        var properties = JSONObject()
        properties["mine"] = .integer(3)
        let link = Link(href: server.url("/r/book"), type: "text/plain", properties: properties)
        for touch in ["length", "part", "whole"] {
            let resource = testFetcher().get(link)
            switch touch {
            case "length": _ = try resource.length.get()
            case "part": _ = try resource.read(range: 0..<1).get()
            default: _ = try resource.read(range: nil).get()
            }
            #expect(resource.link.type == "audio/mpeg")
            #expect(resource.link.properties["mine"] == .integer(3))
            let metadata = try #require(HTTPMetadata(resource.link.properties["http"]))
            #expect(metadata.etag == "\"v1\"")
            #expect(metadata.lastModified == options["modified"])
            #expect(metadata.date == options["date"])
            #expect(metadata.cacheControl == "max-age=60")
            #expect(metadata.expires == "0")
            #expect(metadata.age == "7")
            #expect(metadata.vary == "Accept-Language")
            #expect(metadata.acceptRanges == "bytes")
        }
    }

    @Test(
        "A type that says nothing does not replace the caller's",
        arguments: ["application/octet-stream", "Application/Octet-Stream; x=y"])
    func generic(type: String) throws {
        let server = try ScriptedServer()
        let target = "/r/book?type=\(ScriptedServer.escape(type))"
        let known = testFetcher().get(Link(href: server.url(target), type: "application/epub+zip"))
        _ = try known.read(range: nil).get()
        #expect(known.link.type == "application/epub+zip")
        let unknown = server.resource(target)
        _ = try unknown.read(range: nil).get()
        #expect(unknown.link.type == type)
    }

    @Test("An error page does not change the type")
    func errorPage() throws {
        let server = try ScriptedServer()
        let resource = testFetcher().get(
            Link(href: server.url("/r/book?status=404&type=text%2Fhtml"), type: "image/png"))
        #expect(resource.read(range: nil).failure == .notFound())
        #expect(resource.link.type == "image/png")
    }

    @Test("A fetcher knows no links")
    func noLinks() { #expect(testFetcher().links.isEmpty) }

    @Test("Text is decoded by the charset of the answer")
    func charset() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=0&type=text%2Fplain%3Bcharset%3Dutf-8")
        #expect(try resource.readAsString().get() == "")
    }
}
