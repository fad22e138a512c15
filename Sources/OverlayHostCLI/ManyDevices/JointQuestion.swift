import DeviceTransport
import Dispatch
import OverlayHost
import Synchronization

/// One question for all devices of a run: it is asked when every device has said what it would do, or has ended without
/// anything to ask. Once the run is cancelled no device waits for it. Any thread.
final class JointQuestion: Sendable {
    private struct State {
        /// Devices that have not yet said anything.
        var undecided: Set<Int>
        var inquiries: [Int: any Inquiry] = [:]
        var answer: Result<Bool, HostError>?
    }

    private let state: Mutex<State>
    private let gates: [DispatchSemaphore]
    private let cancellation: Cancellation
    private let registration: Cancellation.Registration
    private let labels: [String]
    private let ask:
        @Sendable (_ lines: [String], _ question: String, _ refusal: String) -> Result<Bool, HostError>

    /// A question for the devices with these labels; `ask` shows lines, asks and waits for the person.
    init(
        _ labels: [String], _ cancellation: Cancellation,
        ask:
            @escaping @Sendable (_ lines: [String], _ question: String, _ refusal: String) -> Result<
                Bool, HostError
            >
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

        func confirm(_ inquiry: some Inquiry) throws(HostError) -> Bool {
            try joint.confirm(device, inquiry).get()
        }
    }

    private func confirm<Asked: Inquiry>(_ device: Int, _ inquiry: Asked) -> Result<Bool, HostError> {
        settle(device, inquiry)
        gates[device].wait()
        return state.withLock { $0.answer } ?? .failure(HostError(.cancelled, Asked.refusal))
    }

    /// Takes the device out of the question; must be called for every device in the end.
    func leave(_ device: Int) { settle(device, nil) }

    private func settle(_ device: Int, _ inquiry: (any Inquiry)?) {
        let inquiries: [Int: any Inquiry]? = state.withLock { state in
            guard state.undecided.remove(device) != nil else { return nil }
            state.inquiries[device] = inquiry
            return state.undecided.isEmpty && !state.inquiries.isEmpty ? state.inquiries : nil
        }
        // The last one asks, and the others wait for it; no lock is held meanwhile.
        guard let inquiries, let first = inquiries.values.first, !cancellation.isCancelled else { return }
        let kind = type(of: first)
        let count = inquiries.values.reduce(0) { $0 + $1.count }
        let answer = ask(lines(inquiries), kind.question(count, devices: inquiries.count), kind.refusal)
        state.withLock { $0.answer = answer }
        for device in inquiries.keys { gates[device].signal() }
    }

    private func lines(_ inquiries: [Int: any Inquiry]) -> [String] {
        inquiries.keys.sorted().flatMap { device -> [String] in
            guard let inquiry = inquiries[device] else { return [] }
            return ["\(TerminalText.sanitized(labels[device])), \(TerminalText.sanitized(inquiry.app)):"]
                + inquiry.lines
        }
    }
}
