import Diagnostics
import Tracing

/// Records every call between the host and its overlays, in both directions, in a file: for `trace show` and
/// `replay`.
///
/// Each record is written before its call is made, and survives if the process ends. Any thread.
///
/// ```swift
/// let recording = try CallRecording(file: "paperboat.trace", keepsContents: true) { notice in print(notice) }
/// let observer = OverlayObserver(recording: recording)
/// let discovery = OverlayDiscovery(paths: .current(), observer: observer)
/// print(discovery.discover().overlays.count)  // the calls of these overlays are recorded
/// recording.close()
/// ```
public final class CallRecording: Sendable {
    let recorder: TraceRecorder

    /// Starts a recording, and replaces an earlier one with the same name.
    ///
    /// Throws `outputNotCreated`, and `alreadyExists` if the file has other content.
    /// - `keepsContents`: keep all bytes of books and covers, which is necessary to replay methods that read them.
    /// - `notice`: called once, on any thread, if the disk is full. The host continues, but nothing more is recorded.
    public convenience init(
        file: String, keepsContents: Bool = false, notice: (@Sendable (String) -> Void)? = nil
    ) throws(HostError) {
        try self.init(file: file, limits: keepsContents ? .whole : .usual, notice: notice)
    }

    /// Creates a recording with limits for contents.
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

    /// Records the signal if this process crashes: for overlays that run in this process. For one recording of a
    /// process.
    public func noteCrashes() { recorder.noteCrashes() }

    /// Ends the recording. Later calls are not recorded.
    public func close() { recorder.close() }
}

extension Failure where Code == HostErrorCode {
    /// Creates an error for a recording that cannot be created, read or replayed.
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
            hintCode: error.hintCode, native: error.native, underlying: error)
    }
}
