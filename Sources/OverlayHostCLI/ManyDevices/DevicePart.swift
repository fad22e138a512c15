import JSON
import OverlayHost
import Synchronization

/// The output of a run for one device, which is kept until all runs have ended. Any thread.
final class DevicePart: Sendable {
    /// A piece of text; pieces are kept in the order in which they were written.
    enum Piece: Equatable {
        case output(String)
        case bytes([UInt8])
        case diagnostics(String)
    }

    /// The result at the end.
    struct Outcome {
        var pieces: [Piece] = []
        /// The JSON document of the command.
        var document: JSONValue?
        var error: HostError?
        var status = ExitStatus.done
    }

    private let state = Mutex(Outcome())

    /// The result so far.
    var outcome: Outcome { state.withLock { $0 } }

    /// A console that writes to this part, with the settings of `console`, for the device with this label.
    func console(like console: Console, label: String) -> Console {
        var own = console
        own.label = label
        own.output = { [self] text in add(.output(text)) }
        own.bytes = { [self] bytes in add(.bytes(bytes)) }
        own.diagnostics = { [self] text in add(.diagnostics(text)) }
        if console.isJSON { own.document = { [self] document in take(document) } }
        return own
    }

    /// Sets how the run ended.
    func end(_ status: ExitStatus, _ error: HostError? = nil) {
        state.withLock { outcome in
            outcome.status = status
            outcome.error = error
        }
    }

    private func take(_ document: JSONValue) { state.withLock { $0.document = document } }

    private func add(_ piece: Piece) { state.withLock { $0.pieces.append(piece) } }
}
