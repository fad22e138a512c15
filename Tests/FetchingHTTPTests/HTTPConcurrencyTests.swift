import Dispatch
import Fetching
import Foundation
import HTTPTestSupport
import Synchronization
import Testing

@Suite("HTTP works from many threads") struct HTTPConcurrencyTests {
    @Test("Reads of one resource at the same time are right")
    func sameResource() throws {
        let server = try ScriptedServer()
        for target in ["/r/a?size=300000", "/r/b?size=300000&ranges=no"] {
            let resource = server.resource(target)
            let wrong = Mutex<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: 48) { index in
                let start = index * 6000
                let data = resource.read(range: Int64(start)..<Int64(start + 6000))
                if case .success(ScriptedContent.bytes(start..<start + 6000)) = data {
                } else {
                    wrong.withLock { $0.append(index) }
                }
            }
            #expect(wrong.withLock { $0 } == [])
        }
    }

    @Test("A read that waits holds up no other")
    func independent() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=300000&holdbody=k&at=100000")
        let ended = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var slow: Data?  // Written before the semaphore is signalled, read after.
        Thread.detachNewThread {
            if case .success(let bytes) = resource.read(range: 0..<200_000) { slow = bytes }
            ended.signal()
        }
        try server.waitForHeld("k")
        #expect(try resource.read(range: 150_000..<150_010).get() == ScriptedContent.bytes(150_000..<150_010))
        try server.release("k")
        ended.wait()
        #expect(slow == ScriptedContent.bytes(0..<200_000))
    }
}
