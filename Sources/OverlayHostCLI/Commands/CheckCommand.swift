import ArgumentParser
import Conformance
import FoundationEssentials
import Glibc
import JSON
import OverlayHost
import Platform
import SimulatedDevice

/// `check OVERLAY.so`: checks whether an overlay follows the contract.
struct CheckCommand: OverlayCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check whether an overlay follows the contract.",
        usage: "overlayhost check <overlay> [<options>]",
        discussion: """
            Runs the overlay in worker processes against a simulated device that has its reader app. For \
            each rule that it breaks, the report shows the clause of the contract, what happened, and \
            what to do. If the overlay crashes, the check reports that and continues.

            --simulated=DIR uses a copy of the device in that folder, such as one whose app has already \
            been opened.

            PATTERN is the id of a rule or group; * matches any characters. --list shows all rules. \
            --prefs names a file with the preferences that the overlay sees; without it, none are set.

            Exit status: 0 the overlay conforms, 1 it breaks a rule, 66 the file cannot be read or is \
            not trusted, 69 too little could be tested because the overlay never served the device.
            """)

    @Argument(help: ArgumentHelp("The overlay's library.", valueName: "overlay"), completion: .file())
    var overlay: String?
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Check only the rules that match. Repeatable.", valueName: "pattern"))
    var rule: [String] = []
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Skip the rules that match. Repeatable.", valueName: "pattern"))
    var skip: [String] = []
    @Flag(help: "List the rules without checking anything.") var list = false
    @Flag(help: "Also show rules that passed or were skipped.") var all = false
    @Option(help: ArgumentHelp("Also write the report as JUnit XML.", valueName: "file"))
    var junit: String?
    @Option(
        help: ArgumentHelp(
            "The seconds that the overlay may run without calling the host.",
            valueName: "seconds"))
    var timeout = 20
    @OptionGroup var global: GlobalOptions<CheckCommand>

    static let takes: Set<CommonOption> = [.simulated, .prefs, .inProcess, .watch]
    static var startsSimulation: Bool { false }
    var overlayFile: String? { overlay }

    func validate() throws {
        guard overlay != nil || list else { throw ValidationError("Give an overlay, or use --list.") }
        guard (1...3600).contains(timeout) else {
            throw ValidationError("--timeout must be from 1 to 3600 seconds.")
        }
        for pattern in rule + skip where RuleCatalog.rules(fitting: pattern).isEmpty {
            throw ValidationError(
                "No rule matches '\(pattern)'. 'overlayhost check --list' lists "
                    + "the rules.")
        }
        guard !rules.isEmpty else {
            throw ValidationError(
                rule.isEmpty
                    ? "--skip excludes every rule. Nothing would be checked."
                    : "--skip excludes every rule that --rule selects. Nothing would be checked.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let rules = self.rules
        guard let overlay, !list else {
            show(rules, invocation.console)
            return .done
        }
        let (daemon, folder) = try daemon()
        defer {
            daemon.stop()
            folder.remove()
        }
        var options = CheckOptions(
            worker: global.inProcess ? nil : invocation.setup.paths.workerProgram)
        options.allowsWeakerIsolation = try invocation.setup.preferences.read().bool("allow_weaker_isolation")
        options.warn = invocation.setup.warnOnce
        options.rules = rules
        options.preferences = global.prefs
        options.device = global.simulatedFolder
        options.silence = .seconds(timeout)
        options.cancellation = invocation.cancellation
        options.words = invocation.setup.words
        let report = try Checker(options, daemon: daemon).check(overlay)
        if let junit {
            try CheckReportFile.write(report.junit, to: junit)
        }
        invocation.console.result(report.json) { lines(report) }
        return switch report.verdict {
        case .conforms: .done
        case .breaks: .someFailed
        case .undecided: .unavailable
        }
    }

    /// The selected rules, in the order of the catalog.
    private var rules: [ConformanceRule] {
        let wanted = Set(rule.flatMap { RuleCatalog.rules(fitting: $0) }.map(\.id))
        let unwanted = Set(skip.flatMap { RuleCatalog.rules(fitting: $0) }.map(\.id))
        return RuleCatalog.all.filter {
            (rule.isEmpty || wanted.contains($0.id)) && !unwanted.contains($0.id)
        }
    }

    /// The report without control characters that a terminal would interpret.
    private func lines(_ report: ConformanceReport) -> String {
        report.text(withAll: all).split(separator: "\n", omittingEmptySubsequences: false)
            .map { TerminalText.sanitized(String($0)) }.joined(separator: "\n")
    }

    private func show(_ rules: [ConformanceRule], _ console: Console) {
        let documents = rules.map { rule in
            JSONValue.document([
                "rule": .string(rule.id), "clause": .string(rule.clause), "place": .string(rule.place),
                "trial": .string(rule.trial), "advice": .string(rule.advice),
            ])
        }
        console.result(.document(["rules": .array(documents)])) {
            var table = TextTable([.init(title: "RULE", isKey: true), .init(title: "CLAUSE", minimum: 20)])
            for rule in rules { table.add([rule.id, rule.clause]) }
            return table.render(width: console.width)
        }
    }

    /// A usbmuxd for this check, to which the environment points, and its folder.
    private func daemon() throws(HostError) -> (SimulatedUsbmuxd, LockedFolder) {
        let folder = try LockedFolder.temporary()
        let daemon = SimulatedUsbmuxd(socketPath: folder.path + "/usbmuxd")
        do {
            try daemon.start()
        } catch {
            throw SimulationProblem.error(error, subject: folder.path)
        }
        // libusbmuxd reads its address from the environment at each connection. No other thread uses it yet.
        setenv("USBMUXD_SOCKET_ADDRESS", daemon.address, 1)
        return (daemon, folder)
    }
}

/// A report file for a build server, which is replaced each time.
enum CheckReportFile {
    /// Replaces the file at `path` atomically. Throws `outputNotCreated`.
    static func write(_ text: String, to path: String) throws(HostError) {
        let code = TemporaryFile.write(Array(text.utf8), to: path, mode: 0o666)
        guard code == 0 else {
            throw HostError(
                .outputNotCreated, "Cannot write the report: \(systemText(code)).",
                subject: path, hint: "Choose a file in an existing folder that you can write to.",
                native: .posix(code))
        }
    }
}
