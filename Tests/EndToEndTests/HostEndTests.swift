import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A worker ends with its host, however the host ends")
struct HostEndTests {
    /// Folders of workers.
    private static func scratch(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasPrefix("overlayhost-held-")
        }
    }

    @Test(
        "A host that is killed, aborted or interrupted during an upload takes its worker along",
        arguments: [SIGKILL, SIGABRT, SIGTERM])
    func ends(signal: Int32) throws {
        let bench = try ReaderBench()
        let temporary = bench.folder.path("tmp")
        try FileManager.default.createDirectory(
            atPath: temporary, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let (marvin, staged) = try bench.neverAnsweringMarvin()
        let program = try bench.start(
            "upload", try RealBooks.history("lt").path, environment: ["TMPDIR": temporary])
        #expect(staged.wait())
        let workers = try RunningProgram.children(of: program.identifier)
        #expect(!workers.isEmpty)
        #expect(try !Self.scratch(in: temporary).isEmpty)
        program.send(signal)
        #expect(program.wait() != 0)
        try waitUntil { try workers.allSatisfy(hasEnded) }

        // The next host removes the leftovers.
        bench.device.onFileRequest(nil)
        marvin.behaviour = MarvinBehaviour()
        let next = try bench.start("books", environment: ["TMPDIR": temporary])
        #expect(next.wait() == 0, "\(next.errors)")
        #expect(try Self.scratch(in: temporary).isEmpty)
    }
}
