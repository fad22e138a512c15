@testable import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("A server is asked about a resource without its content") struct HTTPAskingTests {
    private func ask(_ resource: any Resource) throws -> Result<HTTPResponse, ResourceError> {
        try #require(resource as? any AskableResource).ask()
    }

    @Test("One HEAD gives fields and length, and is not repeated")
    func head() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=1234&type=application/pdf")
        #expect(try ask(resource).get().headers["Content-Type"] == "application/pdf")
        #expect(try ask(resource).get().status == 200)
        #expect(try resource.length.get() == 1234)
        #expect(try server.requests("/r/book").map(\.method) == ["HEAD"])
    }

    @Test(
        "Where HEAD is not known the first byte is asked for, and HEAD no more", arguments: ["405", "501"])
    func part(status: String) throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=1234&type=application/pdf&head=\(status)")
        #expect(try ask(resource).get().headers["Content-Type"] == "application/pdf")
        #expect(try resource.length.get() == 1234)
        #expect(try server.requests("/r/book").map(\.method) == ["HEAD", "GET"])
        #expect(try server.requests("/r/book").map(\.range) == [nil, "bytes=0-0"])
    }

    @Test("A HEAD without length is enough, and not repeated for the length")
    func noLength() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=1234&head=nolength")
        #expect(try ask(resource).get().status == 200)
        #expect(try server.requests("/r/book").map(\.method) == ["HEAD"])
        #expect(try resource.length.get() == 1234)
        #expect(try server.requests("/r/book").map(\.method) == ["HEAD", "GET"])
    }

    @Test("What was read answers without a request; the address is the one after redirects")
    func afterReading() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/first?to=/r/book.pdf")
        _ = try resource.read(range: 0..<10).get()
        #expect(try ask(resource).get().url == server.url("/r/book.pdf"))
        #expect(try server.requests("/r/first").count == 1)
    }

    @Test("A missing, an empty and a closed resource are distinguished", arguments: ["", "&head=405"])
    func edges(options: String) throws {
        let server = try ScriptedServer()
        #expect(try ask(server.resource("/r/gone?status=404")).failure == .notFound())
        #expect(try ask(server.resource("/r/none?size=0\(options)")).failure == nil)
        let resource = server.resource("/r/closed?x=1\(options)")
        _ = try ask(resource)
        resource.close()
        #expect(try ask(resource).failure == .unavailable())
    }
}
