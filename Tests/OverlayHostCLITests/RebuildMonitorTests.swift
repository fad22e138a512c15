import DeviceTransport
import Dispatch
import Foundation
import OverlayHost
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("A new build of an overlay ends the run that goes on, if that can be ended")
struct RebuildMonitorTests {
    /// What becomes of a run during which a new build comes.
    private func run(_ hotReload: HotReload?) throws -> (isCancelled: Bool, isEnded: Bool) {
        let folder = try TemporaryFolder()
        let library = try Data(
            contentsOf: buildProductsFolder().appendingPathComponent("libMarvinOverlay.so"))
        let file = folder.url.appendingPathComponent("overlay.so")
        try library.write(to: file)
        let found = DispatchSemaphore(value: 0)
        let rebuildMonitor = RebuildMonitor(ending: hotReload) { found.signal() }
        rebuildMonitor.watch = OverlayWatch(file: file.path)
        let attempt = rebuildMonitor.begin()
        #expect(hotReload?.hasTakenOver != true)
        try library.write(to: file, options: .atomic)
        #expect(found.wait(timeout: .now() + 300) == .success)
        rebuildMonitor.end()
        return (attempt.isCancelled, rebuildMonitor.hasEndedRun)
    }

    @Test("It is cancelled when its methods are ended, too, and what comes after it is neither")
    func ended() throws {
        let (hotReload, hasTakenOver) = (HotReload(), Cancellation())
        let registration = hotReload.whenTakenOver { hasTakenOver.cancel() }
        let run = try run(hotReload)
        #expect(run.isCancelled && run.isEnded)
        #expect(hasTakenOver.isCancelled)
        #expect(!hotReload.hasTakenOver, "the run is over")
        withExtendedLifetime(registration) {}
    }

    @Test("With --watch, and only then, overlays that are being loaded are ended as well")
    func loading() throws {
        let paths = HostPaths(environment: [:], executable: nil)
        func setup(_ words: [String]) throws -> HostSetup {
            let console = ProgramBench.Text().console()
            return try HostSetup(BooksCommand.parse(words).options, paths, console, Cancellation())
        }
        func hotReload(_ setup: HostSetup) throws -> HotReload? {
            let values = try setup.preferences.read()
            guard case .worker(let options) = try setup.isolation(values) else { return nil }
            return options.hotReload
        }
        let watching = try setup(["--watch"])
        #expect(watching.hotReload != nil)
        #expect(try hotReload(watching) === watching.hotReload)
        #expect(try setup([]).hotReload == nil)
    }

    @Test("It goes on to its end when nothing can end its methods, as in the program itself")
    func goesOn() throws {
        let run = try run(nil)
        #expect(!run.isCancelled && !run.isEnded)
    }
}
