import DeviceTransport
import Dispatch
import OverlayHost
import Synchronization

/// A single question for all devices of a run. It is asked when every device has either requested confirmation or
/// ended; after a cancel, devices do not wait for it. Any thread.
final class JointQuestion: Sendable {
    private struct State {
        /// Devices that have not requested confirmation or ended.
        var undecided: Set<Int>
        var confirmationRequests: [Int: any ConfirmationRequest] = [:]
        var answer: Result<Bool, HostError>?
    }

    private let state: Mutex<State>
    private let gates: [DispatchSemaphore]
    private let cancellation: Cancellation
    private let registration: Cancellation.Registration
    private let labels: [String]
    private let ask:
        @Sendable (_ lines: [String], _ question: String, _ refusal: String) -> Result<Bool, HostError>

    /// Creates a question for the devices with these labels; `ask` shows lines and waits for the user's answer.
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

    /// The question for one device's command.
    func part(_ device: Int) -> any Question { Part(joint: self, device: device) }

    private struct Part: Question {
        let joint: JointQuestion
        let device: Int

        func confirm(_ confirmationRequest: some ConfirmationRequest) throws(HostError) -> Bool {
            try joint.confirm(device, confirmationRequest).get()
        }
    }

    private func confirm<Asked: ConfirmationRequest>(_ device: Int, _ confirmationRequest: Asked) -> Result<
        Bool, HostError
    > {
        settle(device, confirmationRequest)
        gates[device].wait()
        return state.withLock { $0.answer } ?? .failure(HostError(.cancelled, Asked.refusal))
    }

    /// Removes the device from the question. Call this for every device in the end.
    func leave(_ device: Int) { settle(device, nil) }

    private func settle(_ device: Int, _ confirmationRequest: (any ConfirmationRequest)?) {
        let confirmationRequests: [Int: any ConfirmationRequest]? = state.withLock { state in
            guard state.undecided.remove(device) != nil else { return nil }
            state.confirmationRequests[device] = confirmationRequest
            return state.undecided.isEmpty && !state.confirmationRequests.isEmpty
                ? state.confirmationRequests : nil
        }
        // The last device asks, and the others wait for the answer; no lock is held meanwhile.
        guard let confirmationRequests, let first = confirmationRequests.values.first,
            !cancellation.isCancelled
        else { return }
        let kind = type(of: first)
        let count = confirmationRequests.values.reduce(0) { $0 + $1.count }
        let answer = ask(
            lines(confirmationRequests), kind.question(count, devices: confirmationRequests.count),
            kind.refusal)
        state.withLock { $0.answer = answer }
        for device in confirmationRequests.keys { gates[device].signal() }
    }

    private func lines(_ confirmationRequests: [Int: any ConfirmationRequest]) -> [String] {
        confirmationRequests.keys.sorted().flatMap { device -> [String] in
            guard let confirmationRequest = confirmationRequests[device] else { return [] }
            return [
                "\(TerminalText.sanitized(labels[device])), \(TerminalText.sanitized(confirmationRequest.app)):"
            ]
                + confirmationRequest.lines
        }
    }
}
