import Logging
import Synchronization
import Testing

@testable import OverlayHost
@testable import OverlayHostCLI

@Suite("A client of serve gets the records that it asks for")
struct ClientLogTests {
    private final class Collected: Sendable {
        private let stored = Mutex<[String]>([])
        var texts: [String] { stored.withLock { $0 } }
        func add(_ text: String) { stored.withLock { $0.append(text) } }
    }

    /// The records that the client gets from a logger that writes records from `shown` on to standard error.
    private func passed(_ level: ServingHost.LogLevel, shown: Logger.Level?) -> [String] {
        let (client, console) = (Collected(), Collected())
        let logger = Logger(label: "overlay") { label in
            guard let shown else { return SwiftLogNoOpLogHandler() }
            return StandardErrorLogHandler(
                category: label, level: shown, output: .init(write: { console.add($0) }))
        }.passing(level) { client.add("\($0.rawValue) \($1)") }
        let levels: [Logger.Level] = [.trace, .debug, .info, .notice, .warning]
        for severity in levels { logger.log(level: severity, "Said.", metadata: ["overlay": "nova"]) }
        // Standard error does not change.
        #expect(console.texts.count == levels.filter { $0 >= shown ?? .critical }.count)
        return client.texts
    }

    @Test("Records come from the level on that the client named, each with its own level")
    func levels() {
        let texts = ["debug", "info", "notice", "warning"].map { "\($0) overlay: Said. overlay=nova" }
        #expect(passed(.debug, shown: nil) == texts)
        #expect(passed(.info, shown: nil) == Array(texts.dropFirst()))
        #expect(passed(.notice, shown: nil) == [])
    }

    @Test("Records that are written to standard error, which the client gets as well, are not passed twice")
    func once() {
        #expect(passed(.debug, shown: .info) == ["debug overlay: Said. overlay=nova"])
        #expect(passed(.info, shown: .info) == [])
        #expect(passed(.debug, shown: .trace) == [])
    }
}
