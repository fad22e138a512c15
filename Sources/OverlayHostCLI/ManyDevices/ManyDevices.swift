import DeviceTransport
import JSON
import OverlayHost
import Platform

/// Runs a command on several devices at once, with a progress line for each and a common result. An error on one device
/// does not stop the others.
struct ManyDevices {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation) {
        self.invocation = invocation
        console = invocation.console
    }

    /// Runs the command, prints the results for all devices, and returns the common exit status.
    func run(_ command: any DeviceCommand) throws(HostError) -> ExitStatus {
        try command.checkForMany()
        let (setup, cancellation) = (invocation.setup, invocation.cancellation)
        let chosen = try DeviceChoice(invocation.options.device)
            .resolve(loggers: setup.loggers(), cancellation: cancellation)
        for device in chosen { if let udid = device.udid { setup.names.note(udid, device.name) } }
        let labels = Self.labels(chosen)
        let display = MultiDeviceProgress(
            console: console, labels: labels, writesLines: setup.options.verbose)
        // Notes are printed above the lines of all devices, so any of the sinks can be used.
        setup.notePrinter.speak(above: display.sink(0))
        let question = JointQuestion(labels, cancellation) { [console] lines, text, refusal in
            display.clear()
            return Result { () throws(HostError) in
                try DirectQuestion.ask(lines, text, refusal: refusal, console, cancellation)
            }
        }
        let parts = chosen.map { _ in DevicePart() }
        let unable: @Sendable (Int) -> Void = { index in
            let error = HostError(
                .hostIO, "The system cannot start a thread for this device.", subject: chosen[index].udid,
                hint: "Choose fewer devices with --device.")
            parts[index].end(error.exitStatus, error)
            display.end(index, error.message)
            question.leave(index)
        }
        SimultaneousRun.run(chosen.count, withoutThread: unable) { [console] index in
            let part = parts[index]
            do throws(HostError) {
                guard let udid = chosen[index].udid else {
                    throw chosen[index].problem ?? HostError(.noDevice, "This device is not attached.")
                }
                let own = Invocation(
                    setup, device: udid, console: part.console(like: console, label: labels[index]),
                    cancellation: cancellation, progress: display.sink(index), question: question.part(index))
                let status = try command.run(own)
                part.end(status)
                display.end(index, status == .done ? "done" : "some items failed")
            } catch {
                part.end(error.exitStatus, error)
                display.end(index, error.message)
            }
            question.leave(index)
        }
        display.clear()
        let outcomes = parts.map(\.outcome)
        if console.isJSON {
            console.result(Self.document(chosen, outcomes)) { "" }
        } else {
            printText(labels, outcomes)
        }
        return Self.status(outcomes.map(\.status))
    }

    /// The name of each device, with its UDID if two have the same name, or the UDID if it has no name.
    static func labels(_ chosen: [DeviceChoice.Chosen]) -> [String] {
        chosen.map { device in
            guard let name = device.name, !name.isEmpty else { return device.udid ?? "?" }
            let isCommon = chosen.count { $0.name == name } > 1
            return isCommon ? "\(name) (\(device.udid ?? "?"))" : name
        }
    }

    /// 0 if all are 0, the common status if all have the same, otherwise 1.
    static func status(_ statuses: [ExitStatus]) -> ExitStatus {
        guard let first = statuses.first(where: { $0 != .done }) else { return .done }
        return statuses.allSatisfy { $0 == first } ? first : .someFailed
    }

    /// `{"devices": [{"udid", "name", "exit", … or "error"}]}`.
    static func document(_ chosen: [DeviceChoice.Chosen], _ outcomes: [DevicePart.Outcome]) -> JSONValue {
        let devices = zip(chosen, outcomes).map { device, outcome in
            var document = JSONObject()
            document["udid"] = .optional(device.udid)
            document["name"] = .optional(device.name)
            document["exit"] = .integer(Int64(outcome.status.rawValue))
            for member in outcome.document?.object?.members ?? [] where document[member.name] == nil {
                document[member.name] = member.value
            }
            if let error = outcome.error { document["error"] = ErrorReport.body(error) }
            return JSONValue.object(document)
        }
        return .document(["devices": .array(devices)])
    }

    /// Prints a heading for each device, and below it the output of the command. Errors name their device.
    private func printText(_ labels: [String], _ outcomes: [DevicePart.Outcome]) {
        var isFirst = true
        for (label, outcome) in zip(labels, outcomes) {
            var needsHeading = true
            func head() {
                if needsHeading {
                    console.line((isFirst ? "" : "\n") + TerminalText.sanitized(label) + ":")
                }
                (needsHeading, isFirst) = (false, false)
            }
            for piece in outcome.pieces {
                switch piece {
                case .diagnostics(let text): console.diagnostics(text)
                case .output(let text):
                    head()
                    console.output(text)
                case .bytes(let bytes):
                    head()
                    console.bytes(bytes)
                }
            }
            if let error = outcome.error {
                var own = console
                own.label = label
                own.explain(error)
            }
        }
    }
}
