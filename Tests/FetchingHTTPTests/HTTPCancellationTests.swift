import Dispatch
import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("Requests can be cancelled") struct HTTPCancellationTests {
    /// Reads on another thread, and cancels when the server has the request.
    private func cancelled(
        _ option: String, key: String, _ cancel: (ScriptedServer, any Resource) throws -> Void,
        fetcher: HTTPFetcher
    ) throws -> ResourceError? {
        let server = try ScriptedServer()
        let resource = fetcher.get(href: server.url("/r/book?\(option)"))
        let ended = DispatchSemaphore(value: 0)
        // Written before the semaphore is signalled, read after.
        nonisolated(unsafe) var error: ResourceError?
        Thread.detachNewThread {
            error = resource.read(range: nil).failure
            ended.signal()
        }
        try server.waitForHeld(key)
        try cancel(server, resource)
        ended.wait()
        return error
    }

    @Test(
        "Closing a resource ends its read, before and within the body",
        arguments: ["hold=k", "holdbody=k&at=10"])
    func closeResource(option: String) throws {
        let error = try cancelled(option, key: "k", { $1.close() }, fetcher: testFetcher())
        #expect(error == .cancelled)
    }

    @Test("Closing the fetcher ends the reads of its resources")
    func closeFetcher() throws {
        let fetcher = testFetcher()
        let error = try cancelled("hold=k", key: "k", { _, _ in fetcher.close() }, fetcher: fetcher)
        #expect(error == .cancelled)
    }

    @Test("A cancellation given to a fetcher ends its current and later reads")
    func token() throws {
        let cancellation = HTTPCancellation()
        let fetcher = HTTPFetcher(
            client: testClient(), base: nil, configuration: HTTPFetcher.Configuration(),
            cancellation: cancellation)
        let error = try cancelled("hold=k", key: "k", { _, _ in cancellation.cancel() }, fetcher: fetcher)
        #expect(error == .cancelled)
        #expect(fetcher.get(href: "http://127.0.0.1:1/").read(range: nil).failure == .cancelled)
    }

    @Test("Reads after closing are unavailable and send nothing; closing twice is fine")
    func afterClose() throws {
        let server = try ScriptedServer()
        let fetcher = testFetcher()
        let resource = fetcher.get(href: server.url("/r/book"))
        _ = try resource.read(range: nil).get()
        resource.close()
        resource.close()
        #expect(resource.read(range: nil).failure == .unavailable())
        #expect(resource.length.failure == .unavailable())
        let other = fetcher.get(href: server.url("/r/book"))
        fetcher.close()
        fetcher.close()
        #expect(other.read(range: nil).failure == .unavailable())
        #expect(fetcher.get(href: server.url("/r/book")).read(range: nil).failure == .unavailable())
        #expect(try server.requests("/r/book").count == 1)
    }

    @Test("A cancellation calls each handler once, also those that come late")
    func handlers() {
        let parent = HTTPCancellation()
        let child = HTTPCancellation(parent: parent)
        #expect(!child.isCancelled)
        parent.cancel()
        parent.cancel()
        #expect(child.isCancelled)
        #expect(HTTPCancellation(parent: parent).isCancelled)
    }
}
