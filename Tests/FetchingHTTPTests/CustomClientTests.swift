import Fetching
import Foundation
import HTTPTestSupport
import Synchronization
import Testing

@Suite("A custom client sends the requests") struct CustomClientTests {
    /// Has only `send`, and pushes a body in pieces of 7 bytes.
    private final class PushingClient: HTTPClient {
        let body: Data
        let requests = Mutex<[HTTPRequest]>([])
        let stops = Mutex(0)

        init(_ count: Int) { body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) }) }

        func send(
            _ request: HTTPRequest, onResponse: (HTTPResponse) -> HTTPFlow, onChunk: (Data) -> HTTPFlow
        ) -> Result<HTTPResponse, HTTPError> {
            requests.withLock { $0.append(request) }
            let response = HTTPResponse(
                url: request.url, status: 200, headers: ["Content-Type": "text/x-mine"])
            guard onResponse(response) == .proceed else { return .success(response) }
            for start in stride(from: 0, to: body.count, by: 7) {
                guard onChunk(body[start..<min(start + 7, body.count)]) == .proceed else {
                    stops.withLock { $0 += 1 }
                    break
                }
            }
            return .success(response)
        }
    }

    @Test("A client that only pushes serves whole, ranges and length")
    func pushing() throws {
        let client = PushingClient(1000)
        let resource = HTTPFetcher(client: client).get(href: "https://host.example/a b?q=ü#part")
        #expect(try resource.read(range: 500..<510).get() == client.body[500..<510])
        #expect(try resource.read(range: 3..<5).get() == client.body[3..<5])
        #expect(try resource.read(range: nil).get() == client.body)
        #expect(try resource.length.get() == 1000)
        #expect(resource.link.type == "text/x-mine")
        #expect(client.requests.withLock { $0.map(\.url) } == ["https://host.example/a%20b?q=%C3%BC"])
    }

    @Test("An answer that a client got by a redirect from https to http is refused")
    func downgrade() {
        struct Downgrading: HTTPClient {
            func send(
                _ request: HTTPRequest, onResponse: (HTTPResponse) -> HTTPFlow, onChunk: (Data) -> HTTPFlow
            ) -> Result<HTTPResponse, HTTPError> {
                let response = HTTPResponse(url: "http://host.example/", status: 200)
                _ = onResponse(response)
                return .success(response)
            }
        }
        let resource = HTTPFetcher(client: Downgrading()).get(href: "https://host.example/")
        #expect((resource.read(range: nil).failure?.cause as? HTTPError)?.code == .unsafeRedirect)
    }

    @Test("The default client also pushes, and stops when told")
    func sendOfCurl() throws {
        let server = try ScriptedServer()
        var count = 0
        let result = testClient().send(
            HTTPRequest(url: server.url("/r/book?size=1000000")),
            onResponse: { $0.status == 200 ? .proceed : .stop },
            onChunk: { bytes in
                count += bytes.count
                return count >= 100 ? .stop : .proceed
            })
        #expect(try result.get().status == 200)
        #expect(count >= 100 && count < 1_000_000)
    }

    @Test(
        "A header field that would start another is refused", arguments: ["a\r\nX-Evil: 1", "a\0b", "a\nb"])
    func injection(value: String) {
        let result = testClient().open(HTTPRequest(url: "http://127.0.0.1:1/", headers: ["X-Name": value]))
        #expect(result.failure?.code == .malformedRequest)
    }

    @Test("Connections are used again")
    func keptConnections() throws {
        let server = try ScriptedServer()
        let fetcher = testFetcher()
        for index in 0..<5 {
            _ = try fetcher.get(href: server.url("/r/book\(index)")).read(range: 0..<10).get()
        }
        #expect(try server.connectionsUsed("/r/book0") == server.connectionsUsed("/r/book4"))
    }
}
