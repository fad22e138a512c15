import FoundationEssentials
import Synchronization

/// One fetch under way for a key, which all who want it wait for.
final class CacheFlight: Sendable {
    /// How a fetch ended.
    enum Outcome: Sendable {
        /// The store has this, and it can be used now, whatever its lifetime.
        case ready(StoredContent)
        /// The server cannot be asked; this may be used.
        case stale(StoredContent)
        /// It is not kept; who began the fetch reads on from here, others for themselves.
        case passedOn(CacheHandover)
        /// There is nothing.
        case failed(ResourceError)
    }

    struct State {
        /// The bytes of a fetch from the start, as far as they have come.
        var file: CacheFile?
        var received: Int64 = 0
        /// The length, once the answer told it.
        var total: Int64?
        var outcome: Outcome?
        /// How many open resources want it; the one that began it from the start.
        var interested = 1
    }

    let monitor = Monitor(State())
    private let cancel: @Sendable () -> Void

    /// - Parameter cancel: ends the fetch when nobody waits for it any more.
    init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

    /// Counts a resource among those for which the fetch goes on.
    func enter() { monitor.change { $0.interested += 1 } }

    /// Takes a resource that was closed from them, and wakes who waits for it. Without any left the fetch ends.
    func leave() {
        let isAbandoned = monitor.change { state in
            state.interested -= 1
            return state.interested == 0 && state.outcome == nil
        }
        if isAbandoned { cancel() }
    }

    var hasEnded: Bool { monitor.change { $0.outcome != nil } }

    /// Ends the flight.
    func end(_ outcome: Outcome) { monitor.change { $0.outcome = outcome } }
}

/// What is read where a content cannot be kept: what has come already, and the rest.
struct CacheHandover: Sendable {
    /// Bytes from the start that are in a file.
    var file: CacheFile?
    var fileCount: Int64 = 0
    /// Bytes from `start` that are in memory.
    var start: Int64 = 0
    var bytes = Data()
    /// Whether only parts are not kept, and the whole may be.
    var isForParts = false
    /// Has everything else.
    let resource: any Resource

    /// The bytes of a request.
    func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        guard fileCount > 0 || !bytes.isEmpty else { return resource.read(range: range) }
        let wanted = range.map { max(0, $0.lowerBound)..<max(0, $0.upperBound) } ?? 0..<Int64.max
        var result = Data()
        var position = wanted.lowerBound
        if let file, position < fileCount {
            guard let part = file.read(position..<min(wanted.upperBound, fileCount)) else {
                return resource.read(range: range)
            }
            result = part
            position += Int64(part.count)
        }
        let end = start + Int64(bytes.count)
        if position >= start, position < end, position < wanted.upperBound {
            result.append(bytes.bytes(in: position - start..<min(end, wanted.upperBound) - start))
            position = min(end, wanted.upperBound)
        }
        guard position < wanted.upperBound else { return .success(result) }
        // Nothing was kept of this part: one answer has to give it all.
        guard position > wanted.lowerBound else { return resource.read(range: range) }
        return resource.read(range: position..<wanted.upperBound).map { result + $0 }
    }
}

/// The fetches under way in this process, by key.
final class CacheFlights: Sendable {
    private let flights = Mutex<[CacheKey: CacheFlight]>([:])

    /// The fetch of a key, and whether the caller has to begin it.
    func join(
        _ key: CacheKey, cancel: @escaping @Sendable () -> Void
    ) -> (flight: CacheFlight, isNew: Bool) {
        flights.withLock { flights in
            if let flight = flights[key] { return (flight, false) }
            let flight = CacheFlight(cancel: cancel)
            flights[key] = flight
            return (flight, true)
        }
    }

    /// Ends a fetch: nobody joins it any more.
    func end(_ key: CacheKey, _ flight: CacheFlight, _ outcome: CacheFlight.Outcome) {
        flights.withLock { flights in
            if flights[key] === flight { flights[key] = nil }
        }
        flight.end(outcome)
    }
}
