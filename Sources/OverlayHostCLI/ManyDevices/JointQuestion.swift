import DeviceTransport
import Dispatch
import OverlayHost
import Synchronization

/// One question for all devices of a run: it is asked when every device has said what it would delete, or has ended without
/// anything to delete. Nobody waits for it any more once the run is cancelled. Any thread.
final class JointQuestion: Sendable {
    private struct State {
        /// Devices that have not yet said anything.
        var undecided: Set<Int>
        var deletions: [Int: Deletion] = [:]
        var answer: Result<Bool, HostError>?
    }

    private let state: Mutex<State>
    private let gates: [DispatchSemaphore]
    private let cancellation: Cancellation
    private let registration: Cancellation.Registration
    private let labels: [String]
    private let ask: @Sendable (_ lines: [String], _ question: String) -> Result<Bool, HostError>

    /// A question for the devices with these labels; `ask` shows lines, asks and waits for the person.
    init(
        _ labels: [String], _ cancellation: Cancellation,
        ask: @escaping @Sendable (_ lines: [String], _ question: String) -> Result<Bool, HostError>
    ) {
        self.labels = labels
        self.ask = ask
        state = Mutex(State(undecided: Set(labels.indices)))
        let gates = labels.map { _ in DispatchSemaphore(value: 0) }
        (self.gates, self.cancellation) = (gates, cancellation)
        registration = cancellation.whenCancelled { for gate in gates { gate.signal() } }
    }

    /// What one device's verb asks.
    func part(_ device: Int) -> any Question { Part(joint: self, device: device) }

    private struct Part: Question {
        let joint: JointQuestion
        let device: Int

        func confirm(_ deletion: Deletion) throws(HostError) -> Bool {
            try joint.confirm(device, deletion).get()
        }
    }

    private func confirm(_ device: Int, _ deletion: Deletion) -> Result<Bool, HostError> {
        settle(device, deletion)
        gates[device].wait()
        return state.withLock { $0.answer } ?? .failure(HostError(.cancelled, "Nothing was deleted."))
    }

    /// Takes the device out of the question; must be called for every device in the end.
    func leave(_ device: Int) { settle(device, nil) }

    private func settle(_ device: Int, _ deletion: Deletion?) {
        let deletions: [Int: Deletion]? = state.withLock { state in
            guard state.undecided.remove(device) != nil else { return nil }
            state.deletions[device] = deletion
            return state.undecided.isEmpty && !state.deletions.isEmpty ? state.deletions : nil
        }
        // The last one asks, and the others wait for it; no lock is held meanwhile.
        guard let deletions, !cancellation.isCancelled else { return }
        let answer = ask(lines(deletions), question(deletions))
        state.withLock { $0.answer = answer }
        for device in deletions.keys { gates[device].signal() }
    }

    private func lines(_ deletions: [Int: Deletion]) -> [String] {
        deletions.keys.sorted().flatMap { device -> [String] in
            guard let deletion = deletions[device] else { return [] }
            return ["\(TerminalText.sanitized(labels[device])), \(TerminalText.sanitized(deletion.app)):"]
                + deletion.lines
        }
    }

    private func question(_ deletions: [Int: Deletion]) -> String {
        let count = deletions.values.reduce(0) { $0 + $1.books.count }
        let what = count == 1 ? "this book" : "these \(count) books"
        return "Delete \(what) from "
            + (deletions.count == 1 ? "this device?" : "\(deletions.count) devices?")
    }
}
