import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("A server without ranges is read as a stream") struct RangelessServerTests {
    @Test("The range is taken from the whole, and what follows comes from the same answer")
    func fallback() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=300000&ranges=no")
        #expect(try resource.read(range: 1000..<1010).get() == ScriptedContent.bytes(1000..<1010))
        #expect(try resource.read(range: 200_000..<200_010).get() == ScriptedContent.bytes(200_000..<200_010))
        #expect(try resource.read(range: 5..<15).get() == ScriptedContent.bytes(5..<15))
        #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<300_000))
        #expect(try resource.read(range: 299_990..<400_000).get() == ScriptedContent.bytes(299_990..<300_000))
        #expect(try resource.read(range: 300_000..<400_000).get().isEmpty)
        #expect(try server.requests("/r/book").map(\.range) == ["bytes=1000-1009"])
    }

    @Test("The transfer stops when the range is there")
    func stops() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=60000000&ranges=no")
        #expect(try resource.read(range: 100..<200).get() == ScriptedContent.bytes(100..<200))
        resource.close()
        // The kernel's and our own buffers took this much, and the rest was not sent.
        #expect(try server.bytesSent("/r/book") < 30_000_000)
    }

    @Test("An answer larger than what is kept is fetched again for earlier bytes")
    func again() throws {
        let server = try ScriptedServer()
        let fetcher = testFetcher { $0.keptBody = 1000 }
        let resource = fetcher.get(href: server.url("/r/book?size=50000&ranges=no"))
        #expect(try resource.read(range: 40_000..<40_010).get() == ScriptedContent.bytes(40_000..<40_010))
        #expect(try resource.read(range: 5..<15).get() == ScriptedContent.bytes(5..<15))
        #expect(try server.requests("/r/book").map(\.range) == ["bytes=40000-40009", nil])
    }

    @Test("A range too far inside is unavailable")
    func tooFar() throws {
        let server = try ScriptedServer()
        let fetcher = testFetcher { $0.discardedBody = 1000 }
        let resource = fetcher.get(href: server.url("/r/book?size=5000&ranges=no"))
        #expect(resource.read(range: 1001..<1010).failure == .unavailable())
        #expect(try resource.read(range: 1000..<1010).get() == ScriptedContent.bytes(1000..<1010))
    }
}
