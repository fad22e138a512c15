import ArgumentParser
import JSON
import OverlayHost

/// `doctor`: finds out why something does not work.
struct DoctorCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find problems and show how to fix them.",
        usage: "overlayhost doctor [<options>]")

    @OptionGroup var global: GlobalOptions<DoctorCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let doctor = try examine(invocation)
        invocation.progress.clear()
        invocation.console.result(
            .document([
                "ok": .bool(doctor.ok), "checks": .array(doctor.checks.map(document)),
                "missing": .array(doctor.missing.map(\.document)),
            ])
        ) { text(doctor, invocation.console) }
        return doctor.exitStatus
    }

    /// Runs the checks. Invalid preferences are a failed check, and the only one, because nothing can be examined
    /// without them.
    private func examine(_ invocation: Invocation) throws(HostError) -> Doctor {
        let request: SessionRequest
        do throws(HostError) {
            request = try invocation.request()
        } catch {
            guard error.exitStatus == .configuration else { throw error }
            return Doctor(failing: "preferences", error)
        }
        var doctor = Doctor.run(request)
        let isolation = try invocation.setup.isolation(invocation.setup.preferences.read())
        doctor.checks.insert(.isolation(isolation), at: 0)
        return doctor
    }

    private func document(_ check: Doctor.Check) -> JSONValue {
        .document([
            "check": .string(check.check), "ok": .bool(check.ok), "message": .string(check.message),
            "hint": .optional(check.hint), "code": check.code.map { .string($0.rawValue) },
        ])
    }

    /// The first line says what is wrong, or else what is not possible. Below are all checks, and the reasons why
    /// something is not possible.
    func text(_ doctor: Doctor, _ console: Console) -> String {
        let width = console.width
        var lines: [String] = []
        lines.append(doctor.headline.map(advice) ?? conclusion(doctor))
        lines.append("")
        let names = doctor.checks.map { TerminalText.width(of: $0.check) }.max() ?? 0
        for check in doctor.checks {
            let name = TerminalText.padded(check.check, to: names, alignment: .left)
            let mark = check.ok ? console.styled("✓", .green) : console.styled("✗", .red)
            let message = TerminalText.sanitized(check.message)
            let room = width.map { max(20, $0 - names - 4) }
            let pieces = room.map { TerminalText.broken(message, to: $0) } ?? [message]
            let below = "\n" + String(repeating: " ", count: names + 4)
            lines.append("\(mark) \(name)  \(pieces.joined(separator: below))")
        }
        if let app = doctor.app, !doctor.missing.isEmpty {
            lines.append("")
            lines += ObstacleText(missing: doctor.missing, of: app.name).render(width: width)
        }
        return lines.joined(separator: "\n")
    }

    /// The conclusion if no check failed.
    private func conclusion(_ doctor: Doctor) -> String {
        guard let app = doctor.app, let last = doctor.missing.last?.ability else {
            return "Everything works."
        }
        let others = doctor.missing.dropLast().map(\.ability).joined(separator: ", ")
        let words = others.isEmpty ? last : "\(others) and \(last)"
        return TerminalText.sanitized("\(app.name) works, except for \(words).")
    }

    /// The problem and the advice on one line.
    func advice(_ check: Doctor.Check) -> String {
        TerminalText.sanitized(check.hint.map { "\(check.message) \($0)" } ?? check.message)
    }
}
