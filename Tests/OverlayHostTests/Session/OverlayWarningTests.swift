import Logging
import OverlayABI
import Synchronization
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("A person sees what an overlay warns of, in a few lines, whether or not diagnostics are on")
struct OverlayWarningTests {
    /// The notices of a session whose overlay logs this, and the lines of its log.
    private func sentences(
        _ records: [(severity: UInt32, message: String)], switches: DiagnosticSwitches = DiagnosticSwitches()
    ) throws -> (shown: [String], logged: [String]) {
        let environment = try FakeEnvironment()
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            let table: UnsafePointer<ovl_log_service>? = fake.service(OVL_SERVICE_LOG)
            guard let table else { return OVL_FAILED }
            for record in records {
                withText("test") { category in
                    withText(record.message) {
                        table.pointee.write?(table.pointee.ctx, record.severity, category, $0, nil)
                    }
                }
            }
            return OVL_OK
        }
        let (shown, logged) = (Collected(), Collected())
        var request = try environment.request()
        request.loggers = SessionLoggers(switches, to: StandardErrorLogHandler.Output { logged.add($0) })
        request.notice = { shown.add($0) }
        let session = try HostSession(try environment.target(), request)
        _ = try session.books()
        session.close()
        return (shown.texts, logged.texts)
    }

    private final class Collected: Sendable {
        private let stored = Mutex<[String]>([])
        var texts: [String] { stored.withLock { $0 } }
        func add(_ text: String) { stored.withLock { $0.append(text) } }
    }

    @Test("Warnings and errors are shown, notices and reports about the contract are not")
    func shown() throws {
        let found = try sentences([
            (OVL_LOG_NOTICE, "a notice"), (OVL_LOG_WARNING, "a warning"), (OVL_LOG_ERROR, "an error"),
            (OVL_LOG_OVERLAY_MISBEHAVING, "a report"),
        ])
        #expect(found.shown == ["a warning", "an error"])
        #expect(found.logged.isEmpty)
    }

    @Test("With --verbose they are logged, once")
    func verbose() throws {
        let found = try sentences(
            [(OVL_LOG_WARNING, "a warning")], switches: DiagnosticSwitches(verbose: true))
        #expect(found.shown.isEmpty)
        #expect(found.logged.filter { $0.contains("a warning") }.count == 1)
    }

    @Test("An overlay that warns without end does not fill the terminal")
    func many() throws {
        let found = try sentences((0..<1000).map { (OVL_LOG_WARNING, "warning \($0)") })
        #expect(found.shown.count == OverlayWarnings.most + 1)
        #expect(found.shown.first == "warning 0")
        #expect(found.shown.last?.contains("--verbose") == true)
    }
}
