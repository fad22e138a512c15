import Diagnostics
import Foundation
import TestSupport
import Testing

@testable import Tracing

@Suite("The file of a recording grows safely")
struct RecordingFileTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("calls.trace")
    }

    private func recorder(_ limits: TraceLimits = .usual) throws -> TraceRecorder {
        try TraceRecorder(path: path, host: "test 1.0", limits: limits)
    }

    @Test("An earlier recording is replaced")
    func replaced() throws {
        try recorder().close()
        let before = try #require(FileManager.default.contents(atPath: path))
        let second = try recorder()
        second.overlay(Self.overlay)
        second.close()
        let after = try #require(FileManager.default.contents(atPath: path))
        #expect(after.count > before.count)
    }

    @Test("A file that is not a recording is left alone")
    func leftAlone() throws {
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: TraceError.self) { _ = try recorder() }
        #expect(error?.code == .exists)
        #expect(FileManager.default.contents(atPath: path) == Data("precious".utf8))
    }

    @Test("A folder that is not there is an error with the system's reason")
    func noFolder() throws {
        let error = #expect(throws: TraceError.self) {
            _ = try TraceRecorder(path: folder.path("none/calls.trace"), host: "test")
        }
        #expect(error?.code == .notCreated)
        #expect(error?.native == .posix(ENOENT))
    }

    @Test("Only its owner may read the recording")
    func mode() throws {
        try recorder().close()
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A full disk ends the recording with a notice, and what was written before is whole")
    func fullDisk() throws {
        let notices = Notices()
        // The second piece has no space.
        let file = try TraceFile(path: path) { descriptor, place, bytes in
            place == 0 ? TraceFile.systemAllocator(descriptor, place, bytes) : ENOSPC
        }
        let recorder = try TraceRecorder(file: file, host: "test", limits: .usual) { notices.add($0) }
        for _ in 0..<20_000 { recorder.overlay(Self.overlay) }
        recorder.close()
        #expect(notices.all.count == 1)
        let reader = try TraceReader(path: path)
        var count = 0
        var last: TraceEvent?
        while let event = try reader.next() {
            count += 1
            last = event
        }
        #expect(count > 5000 && count < 20_000)
        guard case .end(isDiskFull: true)? = last?.content else {
            Issue.record("the last record does not tell that the disk was full")
            return
        }
    }

    @Test("A disk without room for anything is an error, and leaves no file behind")
    func noRoomAtAll() throws {
        let error = #expect(throws: TraceError.self) {
            _ = try TraceFile(path: path) { _, _, _ in ENOSPC }
        }
        #expect(error?.native == .posix(ENOSPC))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    static let overlay = TraceRecorder.Overlay(
        number: 1, id: "sample", name: "Sample", version: "1.2.3", file: "/x/sample.so", isolation: "worker",
        minor: 2)
}
