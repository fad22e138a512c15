import Fetching
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Closing a wrapper does not wait for a read that is under way")
struct ClosingTests {
    private struct Wrapper: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let wrap: @Sendable (HeldResource) -> any Resource
    }

    private static let wrappers = [
        Wrapper(testDescription: "caching") { CachingResource($0) },
        Wrapper(testDescription: "transforming") { TransformingResource($0) { $0 } },
        Wrapper(testDescription: "buffering") { BufferingResource($0) },
        Wrapper(testDescription: "fallback") { FallbackResource($0, fallback: $0) },
        Wrapper(testDescription: "proxy") { ProxyResource($0) },
        Wrapper(testDescription: "lazy") { held in LazyResource { held } },
        Wrapper(testDescription: "bytes") { held in
            BytesResource(link: held.link) { try held.read(range: nil).get() }
        },
    ]

    @Test("A read that hangs does not hold up closing, and a later one fails", arguments: wrappers)
    private func closing(_ wrapper: Wrapper) {
        let held = HeldResource()
        let resource = wrapper.wrap(held)
        let ended = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Data, ResourceError>?>(nil)
        Thread {
            let read = resource.read(range: 0..<4)
            result.withLock { $0 = read }
            ended.signal()
        }.start()
        held.waitForReader()
        // The read does not continue before this has returned.
        resource.close()
        #expect(result.withLock { $0 } == nil)
        // A fallback reads after it knows the length.
        held.letGo()
        held.letGo()
        ended.wait()
        #expect(result.withLock { $0 } != nil)
        if !["proxy", "lazy"].contains(wrapper.testDescription) {
            #expect(resource.read(range: 0..<4).error == .unavailable())
        }
    }

    @Test("A thread that waits for content another thread makes fails at once when it is closed")
    func waiting() {
        let held = HeldResource()
        let resource = CachingResource(held)
        let ended = DispatchSemaphore(value: 0)
        let results = Mutex<[Result<Data, ResourceError>]>([])
        for _ in 0..<2 {
            Thread {
                let read = resource.read()
                results.withLock { $0.append(read) }
                ended.signal()
            }.start()
        }
        held.waitForReader()
        resource.close()
        // The other thread came before closing or after it. In both cases it ends without the first one.
        ended.wait()
        #expect(results.withLock { $0.map(\.error) } == [.unavailable()])
        held.letGo()
        ended.wait()
        #expect(results.withLock { $0.map(\.error) } == [.unavailable(), .unavailable()])
    }
}
