import Foundation
import OverlayTestSupport
import Platform
import Synchronization
import TestSupport
import Testing

@testable import OverlayLoading
@testable import OverlayWorkers

@Suite("Overlays are loaded in parallel if they run in separate processes")
struct SideBySideTests {
    /// Blocks each thread until this many have arrived, or until a limit that only a failure reaches.
    private final class Meeting: Sendable {
        private let expected: Int
        private let arrived = Mutex(0)
        private let complete = DispatchSemaphore(value: 0)
        private let missed = Mutex(0)

        init(of expected: Int) { self.expected = expected }

        /// The number of threads that left before all had arrived.
        var misses: Int { missed.withLock { $0 } }

        func attend() {
            let count = arrived.withLock { arrived in
                arrived += 1
                return arrived
            }
            if count == expected { for _ in 0..<expected { complete.signal() } }
            if complete.wait(timeout: .now() + 20) == .timedOut { missed.withLock { $0 += 1 } }
        }
    }

    private struct MeetingRunner: OverlayRunner {
        let meeting: Meeting
        let runner = InProcessRunner()

        var longestAfterCancel: Duration? { nil }

        func each(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
            SimultaneousRun.run(count, body)
        }

        func load(_ library: CopiedLibrary) throws(OverlayRefusal) -> LoadedOverlay {
            meeting.attend()
            return try runner.load(library)
        }
    }

    @Test("All overlays are loading before the first is ready, and they are listed by name")
    func together() throws {
        let world = try PluginWorld()
        let names = ["a", "b", "c", "d"]
        for name in names {
            try FixtureOverlay.build(world.file("\(name).so"), ["ID=\"\(name)\"", "OPTION_COUNT=0"])
        }
        let meeting = Meeting(of: names.count)
        let search = OverlayDiscovery(
            options: [world.plugins], preferences: [], paths: world.paths,
            runner: MeetingRunner(meeting: meeting))
        #expect(search.discover().overlays.map(\.descriptor.id) == names)
        #expect(meeting.misses == 0)
    }

    @Test("Workers are started in parallel, and overlays in this process one after the other")
    func runners() {
        let meeting = Meeting(of: 3)
        OverlayIsolation.worker(WorkerOptions(program: "/nowhere")).runner.each(3) { _ in meeting.attend() }
        #expect(meeting.misses == 0)
        let order = Mutex<[Int]>([])
        let caller = pthread_self()
        OverlayIsolation.inProcess.runner.each(3) { number in
            #expect(pthread_equal(pthread_self(), caller) != 0)
            order.withLock { $0.append(number) }
        }
        #expect(order.withLock { $0 } == [0, 1, 2])
    }
}
