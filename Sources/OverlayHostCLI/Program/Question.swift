import DeviceTransport
import Glibc
import OverlayHost

/// Asks the person before something is lost. Any thread.
protocol Question: Sendable {
    /// Whether it may be done. Throws `cancelled`.
    func confirm(_ confirmationRequest: some ConfirmationRequest) throws(HostError) -> Bool
}

/// A question about one device, asked at once.
struct DirectQuestion: Question {
    let console: Console
    let cancellation: Cancellation

    func confirm<Asked: ConfirmationRequest>(_ confirmationRequest: Asked) throws(HostError) -> Bool {
        try Self.ask(
            confirmationRequest.lines, confirmationRequest.question, refusal: Asked.refusal, console,
            cancellation)
    }

    /// Shows the lines, asks, and waits for the answer; anything but yes is no.
    static func ask(
        _ lines: [String], _ question: String, refusal: String, _ console: Console,
        _ cancellation: Cancellation
    ) throws(HostError) -> Bool {
        console.diagnostics(lines.map { $0 + "\n" }.joined() + question + " [y/N] ")
        switch Answer.read(STDIN_FILENO, cancellation) {
        case .line(let text): return ["y", "yes"].contains(text.lowercased())
        case .end: return false
        case .cancelled:
            console.diagnostics("\n")
            throw HostError(.cancelled, refusal)
        }
    }
}
