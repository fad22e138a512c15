import OverlayTestSupport
import CSystemShims
import Foundation
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayWorkers
@testable import OverlayHost

@Suite(
    "A worker without a host ends with all processes that it started, if the kernel lets it start any")
struct LostHostTests {
    /// A worker that is started like a host does it. Its overlay writes the number of a process.
    private struct Worker {
        let process: Int32
        /// The process that the overlay has started, or its own process.
        let child: Int32
        /// The host's ends of its connections.
        let sockets: [Int32]

        /// - Parameter withheld: parts of the confinement that are left out.
        init(_ library: String, withheld: UInt32 = .max) throws {
            let program = try FaultyOverlay.program()
            let arguments = WorkerProgram.Arguments(
                host: getpid(), library: library, scratch: "", memory: 1 << 30, withheld: withheld)
            var pairs: [[Int32]] = []
            for _ in 0..<3 {
                var pair: [Int32] = [-1, -1]
                try #require(shim_socketpair(&pair) == 0)
                pairs.append(pair)
            }
            let words = ([program] + arguments.words).map { strdup($0) } + [nil]
            let variables = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
            defer { for word in words + variables { free(word) } }
            let (errors, main, side) = (pairs[0], pairs[1], pairs[2])
            process = shim_spawn(
                program, words, variables, [-1, errors[1], errors[1], main[1], side[1], -1, -1], 7)
            for pair in pairs { close(pair[1]) }
            sockets = [main[0], side[0]]
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while read(errors[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
            close(errors[0])
            child = try #require(Int32(String(decoding: line, as: UTF8.self)))
            try #require(kill(child, 0) == 0)
        }

        func hangUp() { for socket in sockets { close(socket) } }

        func expectEnd() throws {
            var status: Int32 = 0
            try waitUntil { shim_reap(process, &status) != 0 }
            #expect(status & 0x7F == SIGKILL)
            try waitUntil { try hasEnded(child) }
        }
    }

    private func library(_ folder: TemporaryFolder, _ macros: [String] = []) throws -> String {
        let library = folder.path("faulty.so")
        try FaultyOverlay.build(library, ["CHILD_WHEN_LOADED"] + macros)
        return library
    }

    @Test("The worker ends when its connection is closed")
    func connection() throws {
        let folder = try TemporaryFolder()
        let worker = try Worker(try library(folder))
        worker.hangUp()
        try worker.expectEnd()
    }

    @Test(
        "The kernel ends the worker while its connection is open, even if it ignores all signals",
        arguments: [[], ["DEAF"]])
    func kernel(macros: [String]) throws {
        let folder = try TemporaryFolder()
        let library = try library(folder, macros)
        let started = Box<Result<Worker, any Error>>()
        // The kernel sends the signal when the thread ends that started the process.
        let thread = Thread { started.set(Result { try Worker(library) }) }
        thread.start()
        try waitUntil { thread.isFinished }
        let worker = try #require(started.value).get()
        defer { worker.hangUp() }
        try worker.expectEnd()
    }

    @Test("A confined worker cannot make the kernel forget that it ends with its host")
    func forgetting() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("faulty.so")
        try FaultyOverlay.build(library, ["OUTLIVE_WHEN_LOADED"])
        let started = Box<Result<Worker, any Error>>()
        let thread = Thread {
            started.set(Result { try Worker(library, withheld: UInt32(SHIM_THREADS)) })
        }
        thread.start()
        try waitUntil { thread.isFinished }
        let worker = try #require(started.value).get()
        defer {
            kill(worker.process, SIGKILL)
            worker.hangUp()
        }
        try worker.expectEnd()
    }
}
