import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("The length of a resource behind HTTP is found cheaply") struct HTTPLengthTests {
    private func check(_ options: String, methods: [String], ranges: [String?]) throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=1234&\(options)")
        #expect(try resource.length.get() == 1234)
        #expect(try resource.length.get() == 1234)
        let requests = try server.requests("/r/book")
        #expect(requests.map(\.method) == methods)
        #expect(requests.map(\.range) == ranges)
        #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<1234))
    }

    @Test("HEAD gives the length, and is sent once")
    func head() throws { try check("", methods: ["HEAD"], ranges: [nil]) }

    @Test(
        "A server without HEAD or without length in it is asked for the first byte",
        arguments: ["head=405", "head=501", "head=nolength"])
    func part(options: String) throws {
        try check(options, methods: ["HEAD", "GET"], ranges: [nil, "bytes=0-0"])
    }

    @Test("A server without HEAD and ranges gives the length with the whole content")
    func wholeWithLength() throws {
        try check("head=405&ranges=no", methods: ["HEAD", "GET"], ranges: [nil, "bytes=0-0"])
    }

    @Test("A server that gives no length is read to the end, once", arguments: ["no", "chunked"])
    func counting(length: String) throws {
        try check(
            "head=405&ranges=no&length=\(length)", methods: ["HEAD", "GET"], ranges: [nil, "bytes=0-0"])
    }

    @Test("A Content-Range without total leads to counting")
    func noTotal() throws {
        try check(
            "head=nolength&crange=total&length=chunked", methods: ["HEAD", "GET", "GET"],
            ranges: [nil, "bytes=0-0", nil])
    }

    @Test("A content that is too large to count is unavailable, and can still be read")
    func tooLarge() throws {
        let server = try ScriptedServer()
        let fetcher = testFetcher { $0.discardedBody = 1000 }
        let resource = fetcher.get(href: server.url("/r/book?size=5000&head=405&ranges=no&length=chunked"))
        #expect(resource.length.failure == .unavailable())
        #expect(try resource.read(range: 10..<20).get() == ScriptedContent.bytes(10..<20))
    }

    @Test(
        "An empty resource has length 0",
        arguments: ["", "head=405", "head=405&ranges=no", "head=405&ranges=no&length=no"])
    func empty(options: String) throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=0&\(options)")
        #expect(try resource.length.get() == 0)
        #expect(try resource.read(range: nil).get().isEmpty)
        #expect(try resource.read(range: 0..<10).get().isEmpty)
    }

    @Test("HEAD with an error status is that error", arguments: [404, 403, 503, 500])
    func errors(status: Int) throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?status=\(status)")
        #expect(resource.length.failure?.httpStatusCode == status)
        #expect(try server.requests("/r/book").map(\.method) == ["HEAD"])
    }
}
