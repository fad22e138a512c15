import FoundationEssentials

extension CachedResource {
    /// Fetches the whole into the store unless it is there and fresh.
    ///
    /// - Parameter progress: called with the bytes that have come and the length if known, on the calling thread.
    func complete(
        isPinned: Bool, progress: (Int64, Int64?) -> Void
    ) -> Result<StoredContent, ResourceError> {
        for _ in 0..<3 {
            guard !isClosed else { return .failure(.unavailable(RequestProblem.closed)) }
            if let content = slot.find(), content.entry.isComplete, slot.isFresh(content) {
                progress(content.entry.total ?? 0, content.entry.total)
                return .success(content)
            }
            switch fetchWhole(isPinned: isPinned, progress: progress) {
            case .ready(let content), .stale(let content):
                if content.entry.isComplete { return .success(content) }
            case .failed(let error): return .failure(error)
            case .passedOn:
                let error = CacheError(
                    .notStorable, "this is not cached", subject: slot.href,
                    hint: "The server or the policy forbids it, it is too large, or there is not enough "
                        + "space.")
                return .failure(.other(error))
            }
        }
        return .failure(
            .other(CacheError(.superseded, "it changes while it is being fetched", subject: slot.href)))
    }

    private func fetchWhole(isPinned: Bool, progress: (Int64, Int64?) -> Void) -> CacheFlight.Outcome {
        let (flight, isOurs) = slot.store.flights.join(slot.key) { [child] in child.close() }
        if isOurs { _ = begin(flight, nil, isPinned: isPinned) }
        var seen: Int64 = 0
        enter(flight, isCounted: isOurs)
        while true {
            switch flight.monitor.wait({ $0.event(after: seen) }) {
            case .ended(let outcome): return outcome
            case .moved(let received, let total):
                seen = received
                progress(received, total)
            }
        }
    }
}

extension CacheFlight.State {
    /// What a reporter of progress waits for.
    fileprivate enum Event {
        case moved(Int64, Int64?)
        case ended(CacheFlight.Outcome)
    }

    /// What happened since `seen` bytes; nil if nothing did.
    fileprivate func event(after seen: Int64) -> Event? {
        if let outcome { return .ended(outcome) }
        return received > seen ? .moved(received, total) : nil
    }
}
