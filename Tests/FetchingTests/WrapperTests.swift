import Fetching
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("Simple resources and wrappers keep their promises")
struct WrapperTests {
    private let link = Link(href: "/a")

    @Test("Bytes of a closure are made once, late, and its errors are the resource's")
    func lazyBytes() throws {
        let calls = Mutex(0)
        let resource = BytesResource(link: link) {
            calls.withLock { $0 += 1 }
            return Data("x".utf8)
        }
        #expect(calls.withLock { $0 } == 0)
        _ = resource.length
        _ = resource.read()
        #expect(calls.withLock { $0 } == 1)
        let failing = BytesResource(link: link) { throw RequestProblem(.template, "No.") }
        #expect(failing.read().error?.httpStatusCode == 500)
        #expect(
            BytesResource(link: link) { throw ResourceError.forbidden() }.length == .failure(.forbidden()))
    }

    @Test("A failure resource fails in everything with its error")
    func failure() {
        let resource = FailureResource(link: link, error: .forbidden())
        #expect(resource.length == .failure(.forbidden()))
        #expect(resource.read(range: 0..<0) == .failure(.forbidden()))
        #expect(resource.readAsString() == .failure(.forbidden()))
        resource.close()
        #expect(resource.read() == .failure(.forbidden()) && resource.link == link)
    }

    @Test("A lazy resource is made at first access, and closing an unmade one makes nothing")
    func lazy() throws {
        let made = Mutex(0)
        let child = NotingResource(Data("x".utf8))
        let make: @Sendable () -> any Resource = {
            made.withLock { $0 += 1 }
            return child
        }
        LazyResource(make).close()
        #expect(made.withLock { $0 } == 0 && child.closeCount == 0)
        let resource = LazyResource(link: link, make)
        #expect(resource.link == link && made.withLock { $0 } == 0)
        #expect(try resource.length.get() == 1)
        #expect(resource.link == child.link && made.withLock { $0 } == 1)
        resource.close()
        #expect(child.closeCount == 1)
    }

    @Test("A caching resource reads its child once, and gives the child's length before")
    func caching() throws {
        let child = NotingResource(Data("0123".utf8))
        let resource = CachingResource(child)
        #expect(try resource.length.get() == 4)
        #expect(child.reads.isEmpty)
        #expect(try resource.read(range: 1..<3).get() == Data("12".utf8))
        _ = resource.read()
        child.fail(.unavailable())
        #expect(try resource.length.get() == 4)
        #expect(child.reads == [nil])
    }

    @Test("A fallback serves if the first one's length fails, and only then")
    func fallback() throws {
        let first = NotingResource(Data("first".utf8))
        let second = NotingResource(Data("second".utf8), link: Link(href: "/b"))
        #expect(try FallbackResource(first, fallback: second).readAsString().get() == "first")
        first.fail(.forbidden())
        let seen = Mutex<ResourceError?>(nil)
        let resource = FallbackResource(first) { error in
            seen.withLock { $0 = error }
            return second
        }
        #expect(resource.link == first.link)
        #expect(try resource.readAsString().get() == "second")
        #expect(resource.link == second.link && seen.withLock { $0 } == .forbidden())
        resource.close()
        #expect(first.closeCount == 1 && second.closeCount == 1)
    }

    @Test("A proxy forwards all, a borrowed resource all but closing")
    func forwarding() throws {
        let child = NotingResource(Data("0123".utf8))
        for wrapper in [BorrowedResource(child), ProxyResource(child)] as [any Resource] {
            #expect(wrapper.link == child.link)
            #expect(try wrapper.length.get() == 4)
            #expect(try wrapper.readAsString().get() == "0123")
            wrapper.close()
        }
        #expect(child.closeCount == 1)
    }

    @Test("Any sequence of ranges equals the slices of the child", arguments: [1, 7, 64, 1_000, 5_000])
    func buffering(_ size: Int) throws {
        let content = noise(3_000)
        let resource = BufferingResource(NotingResource(content), bufferSize: size)
        var generator = SeededGenerator(seed: UInt64(size))
        for _ in 0..<1_000 {
            let start = Int64.random(in: -10...3_100, using: &generator)
            let end = start + Int64.random(in: 0...200, using: &generator)
            let wanted = try BytesResource(link: link, bytes: content).read(range: start..<end).get()
            #expect(try resource.read(range: start..<end).get() == wanted)
        }
    }

    @Test("Small forward reads become few reads of whole buffers, and a step back none")
    func bufferingReads() throws {
        let child = NotingResource(noise(10_000))
        let resource = BufferingResource(child, bufferSize: 1_000)
        for start in stride(from: Int64(0), to: 2_000, by: 10) {
            _ = resource.read(range: start..<(start + 10))
        }
        #expect(child.reads == [0..<1_000, 1_000..<2_000])
        _ = resource.read(range: 1_984..<2_000)
        #expect(child.reads.count == 2)
        _ = resource.read(range: 1_990..<2_010)
        #expect(child.reads.last == .some(2_000..<3_000))
        _ = resource.read()
        #expect(child.reads.last == .some(nil))
    }

    @Test("A failed read leaves the buffer as it was")
    func bufferingFailure() throws {
        let child = NotingResource(noise(100))
        let resource = BufferingResource(child, bufferSize: 10)
        _ = resource.read(range: 0..<5)
        child.fail(.unavailable())
        #expect(resource.read(range: 20..<25) == .failure(.unavailable()))
        #expect(try resource.read(range: 5..<10).get() == noise(100)[5..<10])
    }
}
