import ArgumentParser
import Conformance
import Foundation
import JSON
import OverlayHost
import SimulatedDevice

/// `check OVERLAY.so`: whether an overlay keeps the contract.
struct CheckCommand: OverlayVerb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check whether an overlay keeps the contract.",
        usage: "overlayhost check <overlay> [<options>]",
        discussion: """
            The overlay runs in worker processes against a simulated device that has its reader app. Each rule that it \
            breaks is shown with the clause of the contract, what was seen, and what to do. A crash is a result, not the end.

            With --simulated=DIR the device in that folder is taken, such as one whose app has been opened; it is copied first.

            PATTERN is the id of a rule or its group, with * for any letters; --list shows them all. --prefs names a file \
            with the preferences that the overlay shall see; without it none are set.

            Exit status: 0 the overlay conforms, 1 it breaks a rule, 66 the file cannot be read or is not trusted, 69 it never \
            came to work with the device, so that too little could be tried.
            """)

    @Argument(help: ArgumentHelp("The overlay's library.", valueName: "overlay"), completion: .file())
    var overlay: String?
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Only rules that fit. Repeatable.", valueName: "pattern"))
    var rule: [String] = []
    @Option(
        parsing: .singleValue, help: ArgumentHelp("No rules that fit. Repeatable.", valueName: "pattern"))
    var skip: [String] = []
    @Flag(help: "Show the rules, and check nothing.") var list = false
    @Flag(help: "Show kept and untried rules, too.") var all = false
    @Option(help: ArgumentHelp("Write the report as JUnit XML, too.", valueName: "file"))
    var junit: String?
    @Option(
        help: ArgumentHelp(
            "Seconds that the overlay may compute without asking its host for anything.",
            valueName: "seconds"))
    var timeout = 20
    @OptionGroup var global: GlobalOptions<CheckCommand>

    static let takes: Set<CommonOption> = [.simulated, .prefs, .inProcess, .watch]
    static var startsSimulation: Bool { false }
    var overlayFile: String? { overlay }

    func validate() throws {
        guard overlay != nil || list else { throw ValidationError("Name an overlay, or use --list.") }
        guard (1...3600).contains(timeout) else {
            throw ValidationError("--timeout must be from 1 to 3600 seconds.")
        }
        for pattern in rule + skip where RuleCatalog.rules(fitting: pattern).isEmpty {
            throw ValidationError("No rule fits '\(pattern)'. 'overlayhost check --list' shows them.")
        }
        guard !rules.isEmpty else {
            throw ValidationError(
                rule.isEmpty
                    ? "--skip takes away every rule, so that nothing would be checked."
                    : "--skip takes away every rule that --rule asks for, so that nothing would be checked.")
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
        var options = CheckOptions(worker: global.inProcess ? nil : invocation.setup.paths.workerProgram)
        options.allowsWeakerIsolation = try invocation.setup.preferences.read().bool("allow_weaker_isolation")
        options.warn = invocation.setup.warnOnce
        options.rules = rules
        options.preferences = global.prefs
        options.device = global.simulatedFolder
        options.silence = .seconds(timeout)
        options.cancellation = invocation.attempt
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

    /// The rules that are wanted, in the order of the catalog.
    private var rules: [ConformanceRule] {
        let wanted = Set(rule.flatMap { RuleCatalog.rules(fitting: $0) }.map(\.id))
        let unwanted = Set(skip.flatMap { RuleCatalog.rules(fitting: $0) }.map(\.id))
        return RuleCatalog.all.filter {
            (rule.isEmpty || wanted.contains($0.id)) && !unwanted.contains($0.id)
        }
    }

    /// The report without what terminals obey.
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

    /// A usbmuxd of this check's own, to which the environment points, and its folder.
    private func daemon() throws(HostError) -> (SimulatedUsbmuxd, HeldFolder) {
        let folder = try HeldFolder.temporary()
        let daemon = SimulatedUsbmuxd(socketPath: folder.path + "/usbmuxd")
        do {
            try daemon.start()
        } catch {
            throw SimulationProblem.error(error, subject: folder.path)
        }
        // libusbmuxd reads its address from the environment at each connection, and no thread has read it yet.
        setenv("USBMUXD_SOCKET_ADDRESS", daemon.address, 1)
        return (daemon, folder)
    }
}
