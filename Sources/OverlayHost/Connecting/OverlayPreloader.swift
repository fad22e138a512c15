import Platform
import Synchronization

/// Loads the overlay that will be used while the device is being opened, if the choice does not depend on the device.
/// Any thread.
final class OverlayPreloader: Sendable {
    /// How the overlay is loaded.
    private enum Loading: Sendable {
        /// The overlay's description is already known, and the overlay is loaded in a worker at its first use.
        /// `isPrepared`: the preloader started its worker.
        case described(LoadedOverlay, isPrepared: Bool)
        case underDevelopment(BackgroundResult<LoadedOverlay, HostError>)
    }

    private let source: AppChoice.Source
    private let loading: Loading
    private let isTaken = Atomic(false)

    /// Starts loading; nil if the choice of the overlay depends on the device, or for an overlay under development
    /// that would run in this process.
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

    /// The overlay that preferences and command line determine. The choice itself reports errors in these.
    private static func source(_ request: SessionRequest) -> AppChoice.Source? {
        do throws(HostError) {
            return AppChoice.certainOverlay(try ReaderTarget.facts(request))
        } catch {
            return nil
        }
    }

    /// The loaded overlay, or the error of loading it; nil if another one was chosen or if it was taken before. Call
    /// once.
    func take(_ chosen: AppChoice.Source) throws(HostError) -> LoadedOverlay? {
        guard chosen == source, isTaken.exchange(true, ordering: .relaxed) == false else { return nil }
        switch loading {
        case .described(let overlay, _): return overlay
        case .underDevelopment(let result): return try result.take()
        }
    }

    /// Releases the overlay, unless it was taken. Does not wait.
    func giveUp() {
        guard isTaken.exchange(true, ordering: .relaxed) == false else { return }
        switch loading {
        case .described(let overlay, let isPrepared): if isPrepared { overlay.dismiss() }
        case .underDevelopment(let result): result.giveUp()
        }
    }
}
