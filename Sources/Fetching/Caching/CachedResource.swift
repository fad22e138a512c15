import FoundationEssentials
import Platform
import Synchronization

/// A resource that is read from the store where it can be, and otherwise from the child and into the store.
final class CachedResource: Resource {
    private struct State {
        /// The content that was opened, which is used as long as it is fresh: one resource does not mix versions.
        var opened: StoredContent?
        /// What is read instead of a content that is not kept.
        var handover: CacheHandover?
        var isClosed = false
        /// The fetches that this resource wants.
        var flights: [ObjectIdentifier: CacheFlight] = [:]
        /// The fetches that read from this resource's child.
        var ownFlights = 0
    }

    let slot: CacheSlot
    let child: any Resource
    private let fetcher: CachingFetcher
    private let state = Mutex(State())
    /// The same as in the state, for those who hold the lock of a fetch.
    private let closed = Atomic(false)

    init(child: any Resource, slot: CacheSlot, fetcher: CachingFetcher) {
        self.child = child
        self.slot = slot
        self.fetcher = fetcher
    }

    /// The child's link with what is recorded of the content.
    var link: Link {
        var link = child.link
        guard let entry = state.withLock({ $0.opened?.entry }) else { return link }
        link.type = entry.type ?? link.type
        link.properties[HTTPMetadata.propertyName] = entry.metadata.json
        return link
    }

    /// The recorded length, else the child's.
    var length: Result<Int64, ResourceError> {
        guard !isClosed else { return .failure(.unavailable(RequestProblem.closed)) }
        if let content = current(), let total = content.entry.total { return .success(total) }
        let length = child.length
        // The last known length is better than none.
        if case .failure(.unavailable) = length, let content = slot.find(), let total = content.entry.total,
            slot.freshness(content.entry.metadata).mayServeStale(isPinned: content.entry.isPinned)
        {
            return .success(total)
        }
        return length
    }

    /// The body in the store, when it is complete and fresh. It may be removed at any time; an open descriptor keeps it.
    var file: URL? {
        guard !isClosed, let content = current(), content.entry.isComplete else { return nil }
        return URL(filePath: slot.store.path(content.key, "body"))
    }

    func read(range: Range<Int64>?) -> Result<Data, ResourceError> { read(range, fetching: range) }

    /// Reads pieces; the whole is fetched in one go, and read along.
    func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError> {
        let start = max(0, range?.lowerBound ?? 0)
        let end = max(start, range?.upperBound ?? .max)
        var position = start
        while position < end {
            let piece = position..<min(end, position > .max - (256 << 10) ? .max : position + (256 << 10))
            switch read(piece, fetching: range) {
            case .failure(let error): return .failure(error)
            case .success(let bytes):
                if bytes.isEmpty { return .success(position - start) }
                position += Int64(bytes.count)
                if !consume(bytes) { return .success(position - start) }
            }
        }
        return .success(position - start)
    }

    func close() {
        let (flights, mayCloseChild) = state.withLock { state in
            state.isClosed = true
            closed.store(true, ordering: .releasing)
            state.opened = nil
            state.handover = nil
            defer { state.flights = [:] }
            return (Array(state.flights.values), state.ownFlights == 0)
        }
        for flight in flights { flight.leave() }
        // A fetch that others wait for goes on, and its end closes the child; one that nobody waits for is cancelled.
        if mayCloseChild { child.close() }
    }

    // MARK: reading

    /// Takes no lock that is held while waiting for others.
    var isClosed: Bool { fetcher.isClosed || closed.load(ordering: .acquiring) }

    /// Reads a range, nil for all, by fetching a range, nil for all, if the store does not have it.
    private func read(_ range: Range<Int64>?, fetching: Range<Int64>?) -> Result<Data, ResourceError> {
        // Twice something may be stored and gone again before it is read.
        for attempt in 0..<3 {
            guard !isClosed else {
                return .failure(attempt == 0 ? .unavailable(RequestProblem.closed) : .cancelled)
            }
            let handover = state.withLock { $0.handover }
            if let handover, !handover.isForParts { return handover.read(range: range) }
            if let content = current(), content.covers(range) {
                if let bytes = Self.bytes(of: content, range) { return .success(bytes) }
                forget(content)
                continue
            }
            if let handover, fetching != nil { return handover.read(range: range) }
            if fetcher.isMissing(slot.key) { return .failure(.notFound()) }
            switch obtain(fetching, needed: range) {
            case .bytes(let bytes): return .success(bytes)
            case .failed(let error): return .failure(error)
            case .again: continue
            }
        }
        return child.read(range: range)
    }

    /// The content in the store, when it can be used without asking.
    private func current() -> StoredContent? {
        if let opened = state.withLock({ $0.opened }), opened.entry.isComplete, slot.isFresh(opened) {
            return opened
        }
        guard let found = slot.find(), slot.isFresh(found) else { return nil }
        state.withLock { state in
            if !state.isClosed { state.opened = found }
        }
        return found
    }

    static func bytes(of content: StoredContent, _ range: Range<Int64>?) -> Data? {
        content.file.read(content.clamped(range ?? 0..<(content.entry.total ?? 0)))
    }

    /// A body that became shorter while it was open.
    private func forget(_ content: StoredContent) {
        state.withLock { $0.opened = nil }
        do throws(CacheError) {
            try slot.store.remove(content.key, ifBody: content.entry.bodyNumber)
        } catch { return }
    }

    private enum Obtained {
        case bytes(Data)
        case failed(ResourceError)
        case again
    }

    /// Waits for a fetch of this key, which is begun if there is none, until it has what is needed.
    private func obtain(_ wanted: Range<Int64>?, needed: Range<Int64>?) -> Obtained {
        let (flight, isOurs) = slot.store.flights.join(slot.key) { [child] in child.close() }
        if isOurs, !begin(flight, wanted, isPinned: false) {
            return .failed(.unavailable(RequestProblem(.noMeans, "No thread could be started.", subject: slot.href)))
        }
        enter(flight, isCounted: isOurs)
        switch wait(for: flight, needed: needed) {
        case .left: return .failed(.cancelled)
        case .received(let bytes): return .bytes(bytes)
        case .ended(.ready(let content)), .ended(.stale(let content)):
            guard content.covers(needed) else { return .again }
            state.withLock { state in
                if !state.isClosed { state.opened = content }
            }
            return Self.bytes(of: content, needed).map { .bytes($0) } ?? .again
        case .ended(.failed(let error)):
            // However the child puts it: closing ended the read.
            if isClosed { return .failed(.cancelled) }
            if !isOurs, error == .cancelled { return .again }
            if error == .notFound() { fetcher.rememberMissing(slot.key) }
            return .failed(error)
        case .ended(.passedOn(let handover)):
            // What is not kept is not shared either: others ask for themselves.
            let ours = isOurs ? handover : CacheHandover(isForParts: handover.isForParts, resource: child)
            state.withLock { state in
                if !state.isClosed { state.handover = ours }
            }
            return .again
        }
    }

    private enum Waited {
        case left
        case received(Data)
        case ended(CacheFlight.Outcome)
    }

    /// Waits until a fetch has ended or has what is needed, or this resource is closed.
    private func wait(for flight: CacheFlight, needed: Range<Int64>?) -> Waited {
        return flight.monitor.wait { state in
            if let outcome = state.outcome { return .ended(outcome) }
            if isClosed { return .left }
            // Bytes that have come can be read before the rest has.
            guard let needed, let file = state.file else { return nil }
            let range = ByteRange.clamped(needed, length: state.total ?? .max)
            guard range.upperBound <= state.received else { return nil }
            return file.read(range).map { .received($0) }
        }
    }

    /// Says that this resource wants a fetch, until it is closed.
    ///
    /// - Parameter isCounted: whether it began the fetch, which counts it already.
    func enter(_ flight: CacheFlight, isCounted: Bool) {
        let isNew = state.withLock { state in
            // Fetches that have ended are of no interest any more.
            state.flights = state.flights.filter { $0.value === flight || !$0.value.hasEnded }
            guard !state.isClosed else { return false }
            return state.flights.updateValue(flight, forKey: ObjectIdentifier(flight)) == nil
        }
        if isNew, !isCounted { flight.enter() }
    }

    /// Starts a fetch on a thread of its own.
    func begin(_ flight: CacheFlight, _ wanted: Range<Int64>?, isPinned: Bool) -> Bool {
        state.withLock { $0.ownFlights += 1 }
        let fill = CacheFill(slot: slot, child: child, flight: flight, wanted: wanted, isPinned: isPinned)
        let isStarted = SystemThread.detached { [self] in
            slot.store.flights.end(slot.key, flight, fill.run())
            ended()
        }
        if !isStarted {
            let problem = RequestProblem(.noMeans, "No thread could be started.", subject: slot.href)
            slot.store.flights.end(slot.key, flight, .failed(.unavailable(problem)))
            ended()
        }
        return isStarted
    }

    private func ended() {
        let mayCloseChild = state.withLock { state in
            state.ownFlights -= 1
            return state.isClosed && state.ownFlights == 0
        }
        if mayCloseChild { child.close() }
    }
}
