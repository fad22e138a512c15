import Foundation
import JSON
import OverlayHost
import Synchronization
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("The parts of serve work on their own")
struct ServingTests {
    /// A pipe that a test writes into in pieces.
    private func lines(_ pieces: [String], longest: Int) throws -> [LineReader.Line] {
        let pipe = Pipe()
        let reader = try #require(LineReader(pipe.fileHandleForReading.fileDescriptor, longest: longest))
        var lines: [LineReader.Line] = []
        for piece in pieces { try pipe.fileHandleForWriting.write(contentsOf: Data(piece.utf8)) }
        try pipe.fileHandleForWriting.close()
        while true {
            let line = reader.next()
            if line == .end { return lines }
            lines.append(line)
        }
    }

    private func line(_ text: String) -> LineReader.Line { .line(Array(text.utf8)) }

    @Test("Lines are cut at line feeds, and the last needs none")
    func lines() throws {
        #expect(
            try lines(["one\ntw", "o\n\n\nthree"], longest: 100) == [line("one"), line("two"), line("three")])
        #expect(try lines([], longest: 100) == [])
        #expect(try lines(["\n"], longest: 100) == [])
    }

    @Test("A line that is too long is reported once, wherever it ends")
    func longLines() throws {
        let long = String(repeating: "x", count: 5000)
        #expect(try lines([long, long, "\n", "y\n"], longest: 4000) == [.tooLong, line("y")])
        #expect(try lines([long], longest: 4000) == [.tooLong])
        #expect(
            try lines([String(repeating: "x", count: 4001) + "\ny"], longest: 4000) == [.tooLong, line("y")])
        #expect(try lines([String(repeating: "x", count: 4000) + "\ny"], longest: 4000).count == 2)
        #expect(try lines([long + "\n" + long + "\nz\n"], longest: 4000) == [.tooLong, .tooLong, line("z")])
    }

    @Test("A stopped reader ends, even while it waits")
    func stopped() throws {
        let pipe = Pipe()
        let reader = try #require(LineReader(pipe.fileHandleForReading.fileDescriptor, longest: 100))
        let waiting = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            waiting.signal()
            if reader.next() == .end { ended.signal() }
        }
        waiting.wait()
        reader.stop()
        #expect(ended.wait(timeout: .now() + 300) == .success)
        withExtendedLifetime(pipe) {}
    }

    private func paths(_ answer: BooklistChangeLog.Answer) -> [String] { answer.books.compactMap(\.path) }

    @Test("A change log reports new, changed and removed books since each mark")
    func changeLog() {
        var log = BooklistChangeLog(name: "L")
        #expect(log.isStale)
        let (a, b, c) = (
            Book(path: "a", title: "A"), Book(path: "b", title: "B"), Book(path: "c", title: "C")
        )
        log.take([a, b])
        #expect(!log.isStale)
        let first = log.answer(since: nil)
        #expect(first.isComplete && paths(first) == ["a", "b"])
        log.take([a, b])
        #expect(log.answer(since: nil).mark == first.mark)
        log.take([a, Book(path: "b", title: "New"), c])
        let second = log.answer(since: first.mark)
        #expect(!second.isComplete && paths(second) == ["b", "c"] && second.removed.isEmpty)
        log.take([c])
        let third = log.answer(since: second.mark)
        #expect(third.books.isEmpty && third.removed == ["a", "b"])
        #expect(paths(log.answer(since: first.mark)) == ["c"])
        // A book that comes back counts as new, and not as gone.
        log.take([a, c])
        let fourth = log.answer(since: second.mark)
        #expect(paths(fourth) == ["a"] && fourth.removed == ["b"])
        #expect(log.answer(since: log.answer(since: nil).mark).books.isEmpty)
        log.forget()
        #expect(log.isStale)
    }

    @Test("A mark of another change log, from the future or in another form is answered with everything")
    func strangeMarks() {
        var log = BooklistChangeLog(name: "L")
        log.take([Book(path: "a")])
        for mark in ["M.1", "L.2", "L.-1", "L.x", "L", "", "L.1.1", ".", "L.99999999999999999999"] {
            #expect(log.answer(since: mark).isComplete, "\(mark)")
        }
        #expect(!log.answer(since: "L.1").isComplete)
    }

    @Test(
        "A change log remembers a limited number of removed books, and reports everything if that is too few")
    func manyRemoved() {
        var log = BooklistChangeLog(name: "L")
        log.take((0..<12_000).map { Book(path: "\($0)") })
        let old = log.answer(since: nil).mark
        log.take((0..<6000).map { Book(path: "\($0)") })
        let middle = log.answer(since: nil).mark
        #expect(log.answer(since: old).removed.count == 6000)
        log.take([Book]())
        #expect(log.answer(since: old).isComplete)
        #expect(log.answer(since: middle).removed.count == 6000)
    }

    @Test("The cover itself is not a part of what a change log compares")
    func covers() {
        var log = BooklistChangeLog(name: "L")
        log.take([Book(path: "a", coverMediaType: "image/png", coverSize: 3)])
        let mark = log.answer(since: nil).mark
        log.take([Book(path: "a", coverMediaType: "image/png", coverSize: 3, coverData: [1, 2, 3])])
        #expect(log.answer(since: mark).books.isEmpty)
    }

    @Test("Notifications that a client does not read are left out, answers never are")
    func unread() throws {
        let pipe = Pipe()
        let writer = try #require(LineWriter(pipe.fileHandleForWriting.fileDescriptor) {})
        // Data that fit into the pipe are written, and the rest waits.
        let long = String(repeating: "x", count: 1000)
        for number in 0..<10_000 { writer.notify("log", .string("\(number) \(long)")) }
        #expect(writer.isBehind)
        writer.send(.string("the answer"))
        let reading = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var text = Data()  // Read after the semaphore is signalled.
        Thread.detachNewThread {
            while !text.hasSuffix("\"the answer\"\n") { text += pipe.fileHandleForReading.availableData }
            reading.signal()
        }
        #expect(reading.wait(timeout: .now() + 300) == .success)
        let count = text.split(separator: UInt8(ascii: "\n")).count
        #expect(count > 4096 && count < 10_000)
    }

    @Test("Work for a device that gets no thread is refused, and later work runs when there is one")
    func noThread() {
        let hasThreads = Mutex(false)
        let refusals = Mutex<[HostErrorCode]>([])
        let ran = DispatchSemaphore(value: 0)
        let queue = DeviceQueue(
            start: { body in
                guard hasThreads.withLock({ $0 }) else { return false }
                Thread.detachNewThread(body)
                return true
            }, idle: { nil })
        queue.add(refused: { error in refusals.withLock { $0.append(error.code) } }) { ran.signal() }
        #expect(refusals.withLock { $0 } == [.hostIO])
        hasThreads.withLock { $0 = true }
        queue.add(refused: { error in refusals.withLock { $0.append(error.code) } }) { ran.signal() }
        #expect(ran.wait(timeout: .now() + 300) == .success)
        #expect(refusals.withLock { $0 } == [.hostIO])
    }

    @Test("The times for ending add up to less than a second")
    func limits() {
        let limits = RequestServer.limits
        #expect(limits.finish + limits.cancel + limits.devices + limits.read < 1000)
    }

    @Test("A closed output is reported once")
    func closed() throws {
        let pipe = Pipe()
        let told = DispatchSemaphore(value: 0)
        let writer = try #require(
            LineWriter(pipe.fileHandleForWriting.fileDescriptor) { told.signal() })
        try pipe.fileHandleForReading.close()
        signal(SIGPIPE, SIG_IGN)
        writer.send(.string("lost"))
        #expect(told.wait(timeout: .now() + 300) == .success)
        writer.drain(.seconds(300))
    }
}

extension Data {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count) == Data(text.utf8) }
}
