import Dispatch
import Foundation
import OverlayHost
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("A new build of an overlay ends the run that goes on, if that can be ended")
struct BuildAttendantTests {
    /// What becomes of a run during which a new build comes.
    private func run(_ succession: Succession?) throws -> (isCancelled: Bool, isEnded: Bool) {
        let folder = try TemporaryFolder()
        let library = try Data(
            contentsOf: buildProductsFolder().appendingPathComponent("libMarvinOverlay.so"))
        let file = folder.url.appendingPathComponent("overlay.so")
        try library.write(to: file)
        let found = DispatchSemaphore(value: 0)
        let attendant = BuildAttendant(ending: succession) { found.signal() }
        attendant.watch = OverlayWatch(file: file.path)
        let attempt = attendant.begin()
        try library.write(to: file, options: .atomic)
        #expect(found.wait(timeout: .now() + 300) == .success)
        attendant.end()
        return (attempt.isCancelled, attendant.hasEndedRun)
    }

    @Test("It is cancelled when its methods are ended, too")
    func ended() throws {
        let run = try run(Succession())
        #expect(run.isCancelled && run.isEnded)
    }

    @Test("It goes on to its end when nothing can end its methods, as in the program itself")
    func goesOn() throws {
        let run = try run(nil)
        #expect(!run.isCancelled && !run.isEnded)
    }
}
