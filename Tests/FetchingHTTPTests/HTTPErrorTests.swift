import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("Failures of HTTP become errors of resources") struct HTTPErrorTests {
    @Test(
        "Each status becomes the error of the table",
        arguments: [
            (400, 400), (401, 403), (402, 403), (403, 403), (407, 403), (451, 403), (404, 404), (410, 404),
            (408, 503), (425, 503), (429, 503), (502, 503), (503, 503), (504, 503), (405, 500), (409, 500),
            (418, 500), (500, 500), (501, 500), (505, 500), (300, 500),
        ])
    func statuses(status: Int, expected: Int) throws {
        let server = try ScriptedServer()
        for range in [nil, 0..<4] as [Range<Int64>?] {
            let error = server.resource("/r/book?status=\(status)").read(range: range).failure
            #expect(error?.httpStatusCode == expected)
            let cause = try #require(error?.cause as? HTTPError)
            #expect(cause.code == .status && cause.native?.number == Int64(status))
            let answer = try #require(cause.underlying as? HTTPErrorAnswer)
            #expect(answer.response.status == status)
            #expect(String(decoding: answer.body, as: UTF8.self) == "status \(status)")
        }
    }

    @Test("A refused connection is unavailable")
    func refused() {
        let error = testFetcher().get(href: "http://127.0.0.1:1/book").read(range: nil).failure
        #expect(error == .unavailable())
        #expect((error?.cause as? HTTPError)?.code == .cannotConnect)
    }

    @Test("A host without address is unavailable")
    func unknownHost() {
        let error = testFetcher().get(href: "http://no-such-host.invalid/book").read(range: nil).failure
        #expect(error == .unavailable())
        #expect((error?.cause as? HTTPError)?.code == .cannotResolve)
    }

    @Test(
        "An HREF that is not an HTTP URL is a bad request, and sends nothing",
        arguments: [
            "file:///etc/passwd", "ftp://h/x", "/local", "book", "", "http://", "http:///x", "https://:80/",
            "http://h:99999/", "http://a b/",
        ])
    func badURLs(href: String) {
        let resource = testFetcher().get(href: href)
        #expect(resource.read(range: nil).failure?.httpStatusCode == 400)
        #expect(resource.length.failure?.httpStatusCode == 400)
        #expect(resource.read(range: 0..<0).failure?.httpStatusCode == 400)
    }

    @Test(
        "A body shorter than announced is tried once more, then unavailable",
        arguments: ["", "&length=chunked"])
    func shortBody(options: String) throws {
        let server = try ScriptedServer()
        let error = server.resource("/r/book?short=500\(options)").read(range: nil).failure
        #expect(error == .unavailable())
        #expect((error?.cause as? HTTPError)?.code == .incompleteBody)
        #expect(try server.requests("/r/book").count == 2)
    }

    @Test("A short range is never delivered as if it were whole")
    func shortRange() throws {
        let server = try ScriptedServer()
        #expect(server.resource("/r/book?short=5").read(range: 100..<200).failure == .unavailable())
        #expect(server.resource("/r/none?short=5&ranges=no").read(range: 100..<200).failure == .unavailable())
    }

    @Test("A connection that breaks once does no harm", arguments: ["shortonce=10", "droponce"])
    func brokenOnce(option: String) throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?\(option)")
        #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<1000))
        #expect(try server.requests("/r/book").count == 2)
    }

    @Test("A stream that broke after delivering is not begun again")
    func brokenStream() throws {
        let server = try ScriptedServer()
        var count = 0
        let result = server.resource("/r/book?size=100000&short=50000").stream(range: nil) { piece in
            count += piece.count
            return true
        }
        #expect(result.failure == .unavailable())
        #expect(count == 50_000)
        #expect(try server.requests("/r/book").count == 1)
    }

    @Test(
        "A server that hangs up or does not speak HTTP is an error",
        arguments: [("drop", 503), ("garbage", 500)])
    func noAnswer(option: String, expected: Int) throws {
        let server = try ScriptedServer()
        #expect(server.resource("/r/book?\(option)").read(range: nil).failure?.httpStatusCode == expected)
    }

    @Test(
        "Header fields over the limit are refused, and those below it are accepted",
        arguments: ["huge", "long"])
    func hugeHeaders(option: String) throws {
        let server = try ScriptedServer()
        let error = server.resource("/r/book?\(option)=300000").read(range: nil).failure
        #expect(error?.httpStatusCode == 500)
        #expect((error?.cause as? HTTPError)?.code == .headersTooLarge)
        #expect(try server.resource("/r/fine?\(option)=50000").read(range: nil).get().count == 1000)
    }

    @Test(
        "A server that sends nothing is unavailable when its time is up",
        arguments: ["hold=never", "holdbody=never&at=10"])
    func idle(option: String) throws {
        let server = try ScriptedServer()
        let fetcher = testFetcher { $0.idleTimeout = .milliseconds(30) }
        let error = fetcher.get(href: server.url("/r/book?\(option)")).read(range: nil).failure
        #expect(error == .unavailable())
        #expect((error?.cause as? HTTPError)?.code == .timedOut)
    }

    @Test("More content than is read at once is refused with advice")
    func tooMuch() throws {
        let server = try ScriptedServer()
        let fetcher = testFetcher { $0.largestContent = 999 }
        let resource = fetcher.get(href: server.url("/r/book"))
        #expect((resource.read(range: nil).failure?.cause as? HTTPError)?.code == .contentTooLarge)
        #expect(try resource.read(range: 0..<999).get().count == 999)
    }
}
