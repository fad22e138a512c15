import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("HTTP runs over TLS") struct HTTPSTests {
    private func fetcher(trusting server: TLSServer?) -> HTTPFetcher {
        HTTPFetcher(client: testClient { $0.certificateFile = server?.certificate })
    }

    @Test("A trusted server is read, an untrusted one is an error that says so")
    func trust() throws {
        let server = try TLSServer(["book": "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\ntext"])
        let good = fetcher(trusting: server).get(href: server.url("book"))
        #expect(try good.read(range: nil).get() == Data("text".utf8))
        let error = fetcher(trusting: nil).get(href: server.url("book")).read(range: nil).failure
        #expect(error?.httpStatusCode == 500)
        #expect((error?.cause as? HTTPError)?.code == .tls)
    }

    @Test("The name in the certificate has to be that of the host")
    func name() throws {
        let server = try TLSServer(["book": "HTTP/1.0 200 OK\r\n\r\ntext"])
        let href = "https://127.0.0.1:\(server.port)/book"
        let error = fetcher(trusting: server).get(href: href).read(range: nil).failure
        #expect((error?.cause as? HTTPError)?.code == .tls)
    }

    @Test("A redirect from https to http is not followed")
    func downgrade() throws {
        let plain = try ScriptedServer()
        let server = try TLSServer(["down": "HTTP/1.0 302 Found\r\nLocation: \(plain.url("/r/book"))\r\n\r\n"]
        )
        let resource = fetcher(trusting: server).get(href: server.url("down"))
        let error = resource.read(range: nil).failure
        #expect(error?.httpStatusCode == 500)
        #expect((error?.cause as? HTTPError)?.code == .unsafeRedirect)
        #expect(try plain.requests("/r/book").isEmpty)
    }

    @Test("A redirect from http to https is followed")
    func upgrade() throws {
        let server = try TLSServer(["book": "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\ntext"])
        let plain = try ScriptedServer()
        let href = plain.url("/r/up?to=\(ScriptedServer.escape(server.url("book")))")
        #expect(try fetcher(trusting: server).get(href: href).read(range: nil).get() == Data("text".utf8))
    }
}
