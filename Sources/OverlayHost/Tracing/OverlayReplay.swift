import DeviceTransport
import OverlayABI
import Synchronization
import Tracing

/// Replays a recording with an overlay, without a device. The host's calls are repeated, and the overlay's calls get
/// the recorded answers.
///
/// ```swift
/// func behavesAsRecorded(_ overlay: LoadedOverlay, in recording: String) throws -> Bool {
///     try OverlayReplay(file: recording, overlay: overlay, ignoring: ["storage.put.value"]).isSame
/// }
/// ```
public struct OverlayReplay: Sendable {
    /// The result.
    package let report: ReplayReport

    /// Whether the overlay behaved as in the recording.
    public var isSame: Bool { report.difference == nil && report.obstacle == nil }

    /// Replays a recording until the first difference. Blocks. Do not call from Swift's concurrency pool.
    ///
    /// - `ignoring`: functions, such as `storage.put`, or arguments, such as `storage.put.value`, that may differ.
    /// - `cancellation`: ends the replay before the next call in either direction. To interrupt a worker that is
    ///   computing, also use `WorkerOptions.endsAtOnce`.
    /// - `unfinished`: called with the call for which a cancellation must wait, on a separate thread, before this
    ///   returns.
    ///
    /// Throws `inputUnreadable` and `damaged` for the file, `cancelled`, and an error if the overlay's thread cannot
    /// be started.
    public init(
        file: String, overlay: LoadedOverlay, ignoring: Set<String> = [],
        cancellation: Cancellation = Cancellation(),
        unfinished: (@Sendable (UnfinishedCall) -> Void)? = nil
    ) throws(HostError) {
        let recording: Recording
        do throws(TraceError) {
            recording = Recording(try TraceReader(path: file))
        } catch {
            throw HostError(error, file: file)
        }
        guard let thread = DeviceThread() else {
            throw HostError(.hostIO, "The system cannot start a thread for the overlay.")
        }
        defer { thread.end() }
        let progress = ReplayProgress()
        let name = overlay.descriptor.id
        let ending = cancellation.whenCancelled { progress.stop() }
        let notice = RunningCallNotifier(cancellation, call: { progress.method }) { method in
            unfinished?(UnfinishedCall(overlay: name, method: method, limit: nil))
        }
        defer {
            notice.end()
            withExtendedLifetime(ending) {}
        }
        let outcome: Result<ReplayReport, TraceError>? = thread.run {
            do throws(TraceError) {
                return .success(
                    try Replayer(
                        recording, overlay: overlay.factory, id: name, ignoring: ignoring,
                        progress: progress
                    ).run())
            } catch {
                return .failure(error)
            }
        }
        guard !cancellation.isCancelled else { throw HostError(.cancelled, "The replay was cancelled.") }
        switch outcome {
        case .success(let report): self.report = report
        case .failure(let error): throw HostError(error, file: file)
        case nil: throw HostError(.hostIO, "The thread of the overlay has ended.")
        }
    }
}
