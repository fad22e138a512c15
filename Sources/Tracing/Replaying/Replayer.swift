import Diagnostics
import OverlayCalls

/// Runs an overlay against a recording, without a device.
package struct Replayer {
    private let recording: Recording
    private let overlay: any OverlayFactory
    private let id: String
    private let ignored: Set<String>
    private let progress: ReplayProgress

    /// - Parameters:
    ///   - overlay: creates the instances.
    ///   - id: the overlay's id in recordings.
    ///   - ignored: functions, or arguments such as `storage.put.value`, that may differ.
    ///   - progress: receives the running method; can end the replay between two calls.
    package init(
        _ recording: Recording, overlay: any OverlayFactory, id: String,
        ignoring ignored: Set<String> = [], progress: ReplayProgress = ReplayProgress()
    ) {
        self.progress = progress
        self.ignored = ignored
        self.recording = recording
        self.overlay = overlay
        self.id = id
    }

    /// Replays all instances of an overlay in the recording, in order, until the first difference. Blocks. Run it on
    /// the thread that must call the overlay, with as much stack as overlays are promised.
    package func run() throws(TraceError) -> ReplayReport {
        let numbers = Set(recording.overlays.filter { $0.id == id }.map(\.number))
        guard !numbers.isEmpty else {
            let others = Set(recording.overlays.map(\.id)).sorted().joined(separator: ", ")
            throw TraceError(
                .notRecorded,
                others.isEmpty
                    ? "The recording contains no calls of an overlay."
                    : "The recording contains no calls of the overlay \(id), only of \(others).")
        }
        var report = ReplayReport()
        for instance in recording.instances where numbers.contains(instance.overlay) {
            let player = ReplayPlayer(
                instance, limits: recording.limits, overlay: overlay, id: id, ignoring: ignored,
                progress: progress)
            let part = player.run()
            report.methods += part.methods
            report.calls += part.calls
            report.notes += part.notes
            (report.difference, report.obstacle, report.hint) = (part.difference, part.obstacle, part.hint)
            if part.difference != nil || part.obstacle != nil || progress.isStopped { break }
        }
        if let problem = recording.problem, report.difference == nil, report.obstacle == nil {
            (report.obstacle, report.hint) = (problem.message, problem.hint)
        }
        return report
    }
}
