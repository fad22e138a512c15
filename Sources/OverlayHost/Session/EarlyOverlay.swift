import Platform

/// The overlay that serves if any does, loaded while the device is asked. Any thread.
final class EarlyOverlay: Sendable {
    private enum State {
        case loading
        case loaded(Result<LoadedOverlay, HostError>)
        /// Taken, or given up.
        case over
    }

    private let source: AppChoice.Source
    private let state = Monitor(State.loading)
    /// The overlay whose worker this has started, to be dismissed with it.
    private let started: LoadedOverlay?

    /// Begins; nil if the device decides which overlay serves, and for one under development that would run in this process.
    init?(_ request: SessionRequest) {
        guard let source = Self.source(request) else { return nil }
        self.source = source
        switch source {
        case .discovered(let id):
            guard let overlay = request.overlays.overlays.first(where: { $0.descriptor.id == id }) else {
                return nil
            }
            started = overlay.prepare() ? overlay : nil
            state.change { $0 = .loaded(.success(overlay)) }
        case .development(let file):
            guard request.discovery.runsInWorkers else { return nil }
            started = nil
            let isRunning = SystemThread.detached { [state, discovery = request.discovery] in
                let result = Result { () throws(HostError) in
                    let overlay = try discovery.load(file)
                    overlay.prepare()
                    return overlay
                }
                let isUnwanted = state.change { state in
                    guard case .loading = state else { return true }
                    state = .loaded(result)
                    return false
                }
                if isUnwanted, case .success(let overlay) = result { overlay.dismiss() }
            }
            if !isRunning { return nil }
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
        guard chosen == source else { return nil }
        let result = state.wait { state -> Result<LoadedOverlay, HostError>?? in
            switch state {
            case .loading: return nil
            case .over: return .some(nil)
            case .loaded(let result):
                state = .over
                return result
            }
        }
        return try result?.get()
    }

    /// Dismisses what was started, unless the overlay has been taken. Does not wait.
    func giveUp() {
        let unused = state.change { state -> LoadedOverlay? in
            defer { state = .over }
            guard case .loaded(.success(let overlay)) = state else { return nil }
            if case .discovered = source { return started }
            return overlay
        }
        unused?.dismiss()
    }
}
