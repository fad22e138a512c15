import Diagnostics
import Tracing

/// A recording of every call between the host and its overlays, in both directions, in a file: for `trace show` and `replay`.
///
/// Each record is in the file before its call is made, and stays there if the process ends. Any thread.
public final class CallRecording: Sendable {
    /// Bytes of each content, such as a piece of a book, that are kept unless all are wanted.
    public static let usualContentLimit = TraceLimits.usual.bytes

    let recorder: TraceRecorder

    /// Begins a recording, in place of an earlier one of the same name.
    ///
    /// Throws `outputNotCreated`, and `alreadyExists` when the file has something else in it.
    /// - `keepsContents`: keep all bytes of books and covers, without which methods that read them cannot be replayed.
    /// - `notice`: called once, on any thread, if the disk is full; the host continues, but nothing more is recorded.
    public convenience init(
        file: String, keepsContents: Bool = false, notice: (@Sendable (String) -> Void)? = nil
    ) throws(HostError) {
        try self.init(file: file, limits: keepsContents ? .whole : .usual, notice: notice)
    }

    /// A recording that keeps so much of contents.
    package init(
        file: String, limits: TraceLimits, notice: (@Sendable (String) -> Void)? = nil
    ) throws(HostError) {
        do throws(TraceError) {
            recorder = try TraceRecorder(
                path: file, host: "overlayhost \(OverlayHostVersion.text)", limits: limits,
                stopped: { reason in
                    notice?("\(file): The recording stops here because the file cannot grow: \(reason).")
                })
        } catch {
            throw HostError(error, file: file)
        }
    }

    /// Lets the recording tell the signal, when this process crashes: for overlays that run in it. One recording of a process.
    public func noteCrashes() { recorder.noteCrashes() }

    /// Ends the recording. What crosses later is not recorded.
    public func close() { recorder.close() }
}

extension Failure where Code == HostErrorCode {
    /// The error of a recording that cannot be made, read or replayed.
    package init(_ error: TraceError, file: String) {
        let code: Code =
            switch error.code {
            case .notCreated: .outputNotCreated
            case .exists: .alreadyExists
            case .noRecording, .damaged: .damaged
            default: .inputUnreadable
            }
        self.init(
            code, error.message, subject: file, hint: error.hint,
            native: error.native, underlying: error)
    }
}
