import Platform
import Synchronization

/// The overlay that serves if any does, loaded while the device is asked. Any thread.
final class OverlayPreloader: Sendable {
    /// How the overlay comes.
    private enum Loading: Sendable {
        /// It was described before, and is loaded in a worker when it is first used. `isPrepared`: this has started its worker.
        case described(LoadedOverlay, isPrepared: Bool)
        case underDevelopment(BackgroundResult<LoadedOverlay, HostError>)
    }

    private let source: AppChoice.Source
    private let loading: Loading
    private let isTaken = Atomic(false)

    /// Begins; nil if the device decides which overlay serves, and for one under development that would run in this process.
    init?(_ request: SessionRequest) {
        guard let source = Self.source(request) else { return nil }
        self.source = source
        switch source {
        case .discovered(let id):
            guard let overlay = request.overlays.overlays.first(where: { $0.descriptor.id == id }) else {
                return nil
            }
            loading = .described(overlay, isPrepared: overlay.prepare())
        case .development(let file):
            let discovery = request.discovery
            guard discovery.runsInWorkers else { return nil }
            loading = .underDevelopment(
                BackgroundResult {
                    Result { () throws(HostError) in try discovery.load(file) }
                } accepted: { overlay in
                    overlay.prepare()
                } discard: { overlay in
                    overlay.dismiss()
                })
        }
    }

    /// The overlay that the preferences and the person's words determine. What is wrong with these is said by the choice itself.
    private static func source(_ request: SessionRequest) -> AppChoice.Source? {
        do throws(HostError) {
            return AppChoice.certainOverlay(try ReaderTarget.facts(request))
        } catch {
            return nil
        }
    }

    /// The overlay, once it is loaded, or why it could not be; nil if another one was chosen, or it has been taken. Once.
    func take(_ chosen: AppChoice.Source) throws(HostError) -> LoadedOverlay? {
        guard chosen == source, isTaken.exchange(true, ordering: .relaxed) == false else { return nil }
        switch loading {
        case .described(let overlay, _): return overlay
        case .underDevelopment(let result): return try result.take()
        }
    }

    /// Dismisses what was started, unless the overlay has been taken. Does not wait.
    func giveUp() {
        guard isTaken.exchange(true, ordering: .relaxed) == false else { return }
        switch loading {
        case .described(let overlay, let isPrepared): if isPrepared { overlay.dismiss() }
        case .underDevelopment(let result): result.giveUp()
        }
    }
}
