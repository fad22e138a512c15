import Logging
import Tracing

/// Observes every call between the host and the overlays that an `OverlayDiscovery` loads, in both directions. Any
/// thread.
///
/// ```swift
/// let switches = DiagnosticSwitches(development: true)
/// let observer = OverlayObserver(log: switches.logger(.calls))
/// let discovery = OverlayDiscovery(paths: .current(), observer: observer)
/// print(discovery.discover().overlays.count)  // the calls of these overlays are logged
/// ```
public final class OverlayObserver: Sendable {
    private let interposer: Interposer
    private let recording: CallRecording?

    /// Creates an observer for a recording, a log, or both; nil if neither is given.
    ///
    /// `log`: receives a line for each call with its arguments and results, at the level debug.
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

    /// The overlay with this observer between it and the host.
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

extension OverlayDiscovery {
    /// Creates a search of the `--plugins` folders, `$OVERLAYHOST_PLUGINS`, the preference `plugin_directories`, the
    /// user's folder, the installed folder and, during development, the build folder.
    ///
    /// - Parameters:
    ///   - options: the folders of `--plugins`.
    ///   - preferences: the folders of `plugin_directories`.
    ///   - isolation: where the overlays run.
    ///   - observer: observes every call to and from the loaded overlays.
    public init(
        options: [String] = [], preferences: [String] = [], paths: HostPaths,
        isolation: OverlayIsolation = .inProcess, observer: OverlayObserver? = nil
    ) {
        let runner = isolation.runner
        self.init(
            options: options, preferences: preferences, paths: paths,
            runner: observer.map { ObservedRunner(runner: runner, isolation: isolation, observer: $0) }
                ?? runner)
    }
}

/// Lets an observer see the calls of overlays that another runner loads.
private struct ObservedRunner: OverlayRunner {
    let runner: any OverlayRunner
    let isolation: OverlayIsolation
    let observer: OverlayObserver

    var longestAfterCancel: Duration? { runner.longestAfterCancel }

    func each(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) { runner.each(count, body) }

    func load(_ library: CopiedLibrary) throws(OverlayRefusal) -> LoadedOverlay {
        observer.observed(try runner.load(library), isolation)
    }
}
