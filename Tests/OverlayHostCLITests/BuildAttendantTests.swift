import DeviceTransport
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
        #expect(succession?.hasTakenOver != true)
        try library.write(to: file, options: .atomic)
        #expect(found.wait(timeout: .now() + 300) == .success)
        attendant.end()
        return (attempt.isCancelled, attendant.hasEndedRun)
    }

    @Test("It is cancelled when its methods are ended, too, and what comes after it is neither")
    func ended() throws {
        let (succession, hasTakenOver) = (Succession(), Cancellation())
        let registration = succession.whenTakenOver { hasTakenOver.cancel() }
        let run = try run(succession)
        #expect(run.isCancelled && run.isEnded)
        #expect(hasTakenOver.isCancelled)
        #expect(!succession.hasTakenOver, "the run is over")
        withExtendedLifetime(registration) {}
    }

    @Test("With --watch, and only then, overlays that are being loaded are ended as well")
    func loading() throws {
        let paths = HostPaths(environment: [:], executable: nil)
        func setup(_ words: [String]) throws -> HostSetup {
            let console = ProgramBench.Text().console()
            return try HostSetup(BooksCommand.parse(words).options, paths, console, Cancellation())
        }
        func succession(_ setup: HostSetup) throws -> Succession? {
            let values = try setup.preferences.read()
            guard case .worker(let options) = try setup.isolation(values) else { return nil }
            return options.succession
        }
        let watching = try setup(["--watch"])
        #expect(watching.succession != nil)
        #expect(try succession(watching) === watching.succession)
        #expect(try setup([]).succession == nil)
    }

    @Test("It goes on to its end when nothing can end its methods, as in the program itself")
    func goesOn() throws {
        let run = try run(nil)
        #expect(!run.isCancelled && !run.isEnded)
    }
}
