import Fetching
import Foundation
import Glibc
import HTTPTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("What interrupts the cache") struct CacheDurabilityTests {
    /// What a doomed process does with a store: replaces one content, and appends to the part of another.
    static func work(
        _ path: String, port: Int, name: String, beforeChange: @escaping @Sendable (CacheStep) -> Int32
    ) throws {
        let clock = TestClock()
        clock.advance(100)
        let store = try CacheTestBench.store(path, clock: clock, beforeChange: beforeChange)
        let fetcher = CachingFetcher(fetcher: CacheTestBench.http(), store: store, namespace: "tests")
        for (kind, range) in [("whole", nil), ("part", 60_000..<150_000)] as [(String, Range<Int64>?)] {
            let url = "http://127.0.0.1:\(port)/r/\(name)-\(kind)"
            let bytes = try fetcher.get(href: url).read(range: range).get()
            let expected =
                kind == "whole"
                ? ScriptedContent.bytes(0..<90_000, seed: 2) : ScriptedContent.bytes(60_000..<150_000)
            guard bytes == expected else { throw WrongBytes(round: 0) }
        }
    }

    /// A folder with the whole of one content and a part of another; returns its path.
    private func prepare(_ bench: CacheTestBench, _ name: String) throws -> String {
        let path = bench.folder.path(name)
        try bench.server.set("/r/\(name)-whole", ["cc": "max-age=60", "size": "80000", "etag": "\"v1\""])
        try bench.server.set("/r/\(name)-part", ["cc": "max-age=1000", "size": "200000", "etag": "\"v1\""])
        try bench.server.set("/r/\(name)-other", ["cc": "max-age=1000", "size": "5000", "etag": "\"v1\""])
        let store = try CacheTestBench.store(path, clock: bench.clock)
        _ = try bench.read("/r/\(name)-whole", store: store)
        _ = try bench.read("/r/\(name)-other", store: store)
        _ = try bench.read("/r/\(name)-part", 0..<10, store: store)
        try bench.server.set("/r/\(name)-whole", ["seed": "2", "size": "90000", "etag": "\"v2\""])
        return path
    }

    /// After whatever happened, the store opens, counts right, and gives nothing but right bytes.
    private func check(_ bench: CacheTestBench, _ name: String, _ comment: Comment) throws {
        let path = bench.folder.path(name)
        let store = try CacheTestBench.store(path, clock: bench.clock)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/tmp") == [], comment)
        let names = try FileManager.default.subpathsOfDirectory(atPath: path + "/v1")
        let (bodies, records) = (
            names.filter { $0.hasSuffix(".body") }, names.filter { $0.hasSuffix(".meta") }
        )
        #expect(Set(bodies.map { $0.dropLast(5) }) == Set(records.map { $0.dropLast(5) }), comment)
        #expect(bodies.count >= 2, comment)
        let other = try bench.read("/r/\(name)-other", store: store)
        #expect(other == ScriptedContent.bytes(0..<5000), comment)
        #expect(try bench.count("/r/\(name)-other") == 1, comment)
        let part = try bench.read("/r/\(name)-part", store: store)
        #expect(part == ScriptedContent.bytes(0..<200_000), comment)
        let whole = try bench.read("/r/\(name)-whole", store: store)
        // Within its lifetime the first version may be there still; a mixture may not.
        let versions = [ScriptedContent.bytes(0..<90_000, seed: 2), ScriptedContent.bytes(0..<80_000)]
        #expect(versions.contains(whole), comment)
        let again = try CacheTestBench.store(path, clock: bench.clock)
        #expect(try store.usage == again.usage, comment)
    }

    @Test("A process killed at any step of its writing leaves whole entries and nothing else")
    func killed() async throws {
        let bench = try CacheTestBench()
        let counter = CallCounter()
        try Self.work(try prepare(bench, "count"), port: bench.server.port, name: "count") { _ in
            counter.count()
            return 0
        }
        let steps = counter.total
        #expect(steps > 15)
        for step in 1...steps {
            let (path, port) = (try prepare(bench, "s\(step)"), bench.server.port)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, port = port as Int, step = step as Int] in
                let counter = CallCounter()
                try CacheDurabilityTests.work(path, port: port, name: "s\(step)") { _ in
                    counter.count()
                    if counter.total == step { kill(getpid(), SIGKILL) }
                    return 0
                }
                // Bodies come in more or fewer pieces: the last steps may not have been reached.
                kill(getpid(), SIGKILL)
            }
            try check(bench, "s\(step)", "killed at step \(step)")
        }
    }

    @Test("A disk that is full, or fails, at any step never fails a read", arguments: [ENOSPC, EIO])
    func fails(error: Int32) throws {
        let bench = try CacheTestBench()
        for step in 1...100 {
            let path = try prepare(bench, "s\(step)")
            let counter = CallCounter()
            do {
                try Self.work(path, port: bench.server.port, name: "s\(step)") { _ in
                    counter.count()
                    return counter.total >= step ? error : 0
                }
            } catch let failure as CacheError {
                // The store could not be opened at all, and said why.
                #expect(failure.errno == error)
            }
            try check(bench, "s\(step)", "error \(error) from step \(step)")
            if counter.total < step { return }
        }
        Issue.record("there are more steps than were tried")
    }

    @Test("A disk that becomes full while a content of unknown length comes does not fail the read")
    func fullInTheMiddle() throws {
        let writes = CallCounter()
        let bench = try CacheTestBench { step in
            guard step == .write else { return 0 }
            writes.count()
            return writes.total > 2 ? ENOSPC : 0
        }
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "900000", "length": "chunked"])
        let resource = bench.fetcher().get(bench.link())
        #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<900_000))
        #expect(try bench.count() == 1)
        #expect(try resource.read(range: 10..<20).get() == ScriptedContent.bytes(10..<20))
        #expect(try bench.temporaryFiles() == [])
    }

    @Test("A byte that changed on disk is noticed after a new start, and the content fetched again")
    func flippedByte() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "size": "100000"])
        _ = try bench.read()
        let body = try #require(try bench.files(".body").first)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: body))
        try handle.seek(toOffset: 50_000)
        try handle.write(contentsOf: Data([ScriptedContent.byte(50_000, seed: 1) ^ 1]))
        try handle.close()
        #expect(try bench.read(store: bench.reopened()) == ScriptedContent.bytes(0..<100_000))
        #expect(try bench.count() == 2)
    }

    @Test("A record that is damaged or cut short at any length is as if it were not there")
    func damagedRecord() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        _ = try bench.read()
        let record = URL(fileURLWithPath: try #require(try bench.files(".meta").first))
        let text = try Data(contentsOf: record)
        for length in 0..<text.count {
            try text.prefix(length).write(to: record)
            #expect(bench.fetcher().state(bench.link()) == .absent, "\(length) bytes")
            var damaged = text
            damaged[length] ^= 1
            try damaged.write(to: record)
            #expect(bench.fetcher().state(bench.link()) == .absent, "byte \(length)")
        }
        try text.write(to: record)
        #expect(bench.fetcher().state(bench.link()) == .complete)
        try text.prefix(20).write(to: record)
        #expect(try bench.read().count == 1000)
    }

    @Test("A body that became shorter is fetched again, also by who has it open")
    func truncatedBody() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60"])
        let resource = bench.fetcher().get(bench.link())
        _ = try resource.read(range: nil).get()
        let body = try #require(try bench.files(".body").first)
        #expect(truncate(body, 10) == 0)
        #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<1000))
        #expect(try bench.read() == ScriptedContent.bytes(0..<1000))
        #expect(try bench.count() == 2)
    }

    @Test("Two processes write and read one store at the same time")
    func twoProcesses() async throws {
        let bench = try CacheTestBench(maxBytes: 2 << 20)
        for index in 0..<20 {
            try bench.server.set(
                "/r/\(index)",
                ["cc": "max-age=60", "size": "150000", "etag": "\"v\(index)\"", "seed": "\(index)"])
        }
        let (path, port) = (bench.folder.path("cache"), bench.server.port)
        async let child: Void = {
            await #expect(processExitsWith: .success) { [path = path as String, port = port as Int] in
                try CacheDurabilityTests.readAll(path, port: port, order: 1)
            }
        }()
        try Self.readAll(path, port: port, order: 7)
        await child
        #expect(try bench.store.usage <= 2 << 20)
        #expect(try bench.store.usage == bench.reopened().usage)
        #expect(try bench.temporaryFiles() == [])
    }

    /// Reads wholes and parts of twenty contents three times, in an order of its own, and checks every byte.
    static func readAll(_ path: String, port: Int, order: Int) throws {
        let store = try CacheTestBench.store(path, maxBytes: 2 << 20, clock: TestClock())
        let fetcher = CachingFetcher(fetcher: CacheTestBench.http(), store: store, namespace: "tests")
        for round in 0..<60 {
            let index = (round * order + round / 20) % 20
            let resource = fetcher.get(href: "http://127.0.0.1:\(port)/r/\(index)")
            let range = round % 3 == 0 ? nil : Int64(round * 1000)..<Int64(round * 1000 + 70_000)
            let expected = ScriptedContent.bytes(
                range.map { Int($0.lowerBound)..<Int($0.upperBound) } ?? 0..<150_000, seed: index)
            guard try resource.read(range: range).get() == expected else { throw WrongBytes(round: round) }
        }
    }

    private struct WrongBytes: Error { var round: Int }

    @Test("What crashes left behind goes when the store opens; what others are writing stays")
    func leftovers() throws {
        let bench = try CacheTestBench()
        try bench.server.set(
            "/r/book", ["cc": "max-age=60", "size": "600000", "holdbody": "k", "at": "300000"])
        let root = bench.folder.path("cache")
        try FileManager.default.createDirectory(atPath: root + "/v1/ab", withIntermediateDirectories: true)
        for name in ["tmp/old", "v1/ab/abc.body", "v1/ab/abd.meta"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: root + "/" + name))
        }
        let ended = DispatchSemaphore(value: 0)
        let resource = bench.fetcher().get(bench.link())
        // Written before the semaphore is signalled, read after.
        nonisolated(unsafe) var count = 0
        Thread.detachNewThread {
            if case .success(let bytes) = resource.read(range: nil) { count = bytes.count }
            ended.signal()
        }
        try bench.server.waitForHeld("k")
        // The server has sent half of it; the reader may not have written anything yet.
        while try bench.temporaryFiles() == ["old"] {
            guard ended.wait(timeout: .now()) == .timedOut else {
                ended.signal()
                break
            }
            sched_yield()
        }
        _ = try bench.reopened()
        #expect(try bench.temporaryFiles().count == 1)
        #expect(try bench.temporaryFiles() != ["old"])
        #expect(try bench.files("").filter { $0.contains("/ab/") } == [])
        try bench.server.release("k")
        ended.wait()
        #expect(count == 600_000)
        #expect(bench.fetcher().state(bench.link()) == .complete)
    }

    @Test("Folders and files are for their owner alone, and descriptors close")
    func modes() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60"])
        _ = try bench.read()
        let root = bench.folder.path("cache")
        for name in try FileManager.default.subpathsOfDirectory(atPath: root) + [""] {
            var status = stat()
            #expect(lstat(root + "/" + name, &status) == 0)
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            #expect(status.st_mode & 0o777 == (isFolder ? 0o700 : 0o600), "\(name)")
        }
    }
}
