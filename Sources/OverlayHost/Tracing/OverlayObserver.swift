import Logging
import Tracing

/// Stands between the host and every overlay that an `OverlayDiscovery` loads, and hears every call in both directions. Any
/// thread.
public final class OverlayObserver: Sendable {
    private let interposer: Interposer
    private let recording: CallRecording?

    /// An observer for a recording, a log, or both; nil if there is neither.
    ///
    /// `log`: gets a line for each call with its arguments and results, at the level debug.
    public init?(recording: CallRecording? = nil, log: Logger? = nil) {
        var recorders: [TraceRecorder] = []
        if let recording { recorders.append(recording.recorder) }
        if let log, log.logLevel <= .debug {
            recorders.append(CallPrinter.recorder { line in log.debug("\(line)") })
        }
        guard !recorders.isEmpty else { return nil }
        self.recording = recording
        interposer = Interposer(recorders)
    }

    /// Ends the recording, if there is one.
    public func close() { recording?.close() }

    /// The overlay with this observer between it and its host.
    func observed(_ overlay: LoadedOverlay, _ isolation: OverlayIsolation) -> LoadedOverlay {
        let descriptor = overlay.descriptor
        let place =
            switch isolation {
            case .inProcess: "in-process"
            case .worker: "worker"
            }
        return overlay.with(
            TracedOverlay(
                overlay.factory,
                TraceRecorder.Overlay(
                    number: 0, id: descriptor.id, name: descriptor.name, version: descriptor.version,
                    file: overlay.file, isolation: place, minor: overlay.abiMinor),
                interposer))
    }
}
