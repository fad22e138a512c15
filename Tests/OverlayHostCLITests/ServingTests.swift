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

    @Test("A ledger reports new, changed and removed books since each mark")
    func ledger() {
        var ledger = BooklistChangeLog(name: "L")
        #expect(ledger.isStale)
        let (a, b, c) = (
            Book(path: "a", title: "A"), Book(path: "b", title: "B"), Book(path: "c", title: "C")
        )
        ledger.take([a, b])
        #expect(!ledger.isStale)
        let first = ledger.answer(since: nil)
        #expect(first.isComplete && paths(first) == ["a", "b"])
        ledger.take([a, b])
        #expect(ledger.answer(since: nil).mark == first.mark)
        ledger.take([a, Book(path: "b", title: "New"), c])
        let second = ledger.answer(since: first.mark)
        #expect(!second.isComplete && paths(second) == ["b", "c"] && second.removed.isEmpty)
        ledger.take([c])
        let third = ledger.answer(since: second.mark)
        #expect(third.books.isEmpty && third.removed == ["a", "b"])
        #expect(paths(ledger.answer(since: first.mark)) == ["c"])
        // A book that comes back counts as new, and not as gone.
        ledger.take([a, c])
        let fourth = ledger.answer(since: second.mark)
        #expect(paths(fourth) == ["a"] && fourth.removed == ["b"])
        #expect(ledger.answer(since: ledger.answer(since: nil).mark).books.isEmpty)
        ledger.forget()
        #expect(ledger.isStale)
    }

    @Test("A mark of another ledger, from the future or in another form is answered with everything")
    func strangeMarks() {
        var ledger = BooklistChangeLog(name: "L")
        ledger.take([Book(path: "a")])
        for mark in ["M.1", "L.2", "L.-1", "L.x", "L", "", "L.1.1", ".", "L.99999999999999999999"] {
            #expect(ledger.answer(since: mark).isComplete, "\(mark)")
        }
        #expect(!ledger.answer(since: "L.1").isComplete)
    }

    @Test("A ledger remembers a limited number of removed books, and reports everything if that is too few")
    func manyRemoved() {
        var ledger = BooklistChangeLog(name: "L")
        ledger.take((0..<12_000).map { Book(path: "\($0)") })
        let old = ledger.answer(since: nil).mark
        ledger.take((0..<6000).map { Book(path: "\($0)") })
        let middle = ledger.answer(since: nil).mark
        #expect(ledger.answer(since: old).removed.count == 6000)
        ledger.take([Book]())
        #expect(ledger.answer(since: old).isComplete)
        #expect(ledger.answer(since: middle).removed.count == 6000)
    }

    @Test("The cover itself is not a part of what a ledger compares")
    func covers() {
        var ledger = BooklistChangeLog(name: "L")
        ledger.take([Book(path: "a", coverMediaType: "image/png", coverSize: 3)])
        let mark = ledger.answer(since: nil).mark
        ledger.take([Book(path: "a", coverMediaType: "image/png", coverSize: 3, coverData: [1, 2, 3])])
        #expect(ledger.answer(since: mark).books.isEmpty)
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
