import JSON
import Logging
import Synchronization
import Testing

@testable import OverlayHost

@Suite("Diagnostics go where the switches send them, and nowhere by default")
struct DiagnosticSwitchesTests {
    private func values(_ json: String) throws -> PreferenceValues {
        let stored = try #require(try JSONValue(parsing: json).object)
        return PreferenceValues(file: "prefs.json", schema: .builtIn, stored: stored)
    }

    private static let categories: [DiagnosticCategory] = [
        .plugin, .libimobiledevice, .canHandle, .overlay, .host,
    ]

    @Test(
        "Each preference switches its own categories",
        arguments: [
            ("{}", [nil, nil, nil, nil, nil]), (#"{"debug_plugin": true}"#, [.trace, nil, nil, nil, nil]),
            (#"{"debug_libimobiledevice": true}"#, [nil, .trace, nil, nil, nil]),
            (#"{"debug_can_handle": true}"#, [nil, nil, .trace, nil, nil]),
            (#"{"development_mode": true}"#, [nil, nil, nil, .trace, .trace]),
        ] as [(String, [Logger.Level?])])
    func levels(json: String, expected: [Logger.Level?]) throws {
        let switches = try DiagnosticSwitches(values(json))
        #expect(Self.categories.map { switches.level(of: $0) } == expected)
    }

    @Test("--verbose shows what overlay and host report from info on")
    func verbose() throws {
        let switches = try DiagnosticSwitches(values("{}"), verbose: true)
        #expect(Self.categories.map { switches.level(of: $0) } == [nil, nil, nil, .info, .info])
    }

    @Test("A switch of the wrong type is an error")
    func wrongType() throws {
        let values = try values(#"{"debug_plugin": 1}"#)
        #expect(throws: HostError.self) { try DiagnosticSwitches(values) }
    }

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private func logged(
        _ switches: DiagnosticSwitches, _ category: DiagnosticCategory, _ use: (Logger) -> Void
    ) -> [String] {
        let lines = Lines()
        let output = StandardErrorLogHandler.Output(now: { 1_234_567_890 }) { line in
            lines.all.withLock { $0.append(line) }
        }
        use(switches.logger(category, to: output))
        return lines.all.withLock { $0 }
    }

    @Test("A line has level, category, message and sorted pairs, and control characters are escaped")
    func line() throws {
        let lines = logged(DiagnosticSwitches(plugin: true), .plugin) { logger in
            logger.debug("books\u{1B}[2J\nnext", metadata: ["b": "two words", "a": "1", "c": ""])
        }
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(
            line.hasSuffix(".234 debug plugin: books\\u{1b}[2J⏎next a=1 b=\"two words\" c=\"\"\n"), "\(line)")
    }

    @Test("A category that is off writes nothing")
    func off() {
        #expect(logged(DiagnosticSwitches(plugin: true), .canHandle) { $0.critical("poll") }.isEmpty)
        #expect(logged(DiagnosticSwitches(verbose: true), .host) { $0.debug("detail") }.isEmpty)
        #expect(logged(DiagnosticSwitches(verbose: true), .host) { $0.info("news") }.count == 1)
    }
}
