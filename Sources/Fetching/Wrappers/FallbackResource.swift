import FoundationEssentials
import Synchronization

/// A resource with a second one that takes its place if the length of the first is unknown.
public final class FallbackResource: Resource {
    private enum State {
        case undecided
        case chosen(any Resource)
    }

    private let original: any Resource
    private let fallback: @Sendable (ResourceError) -> any Resource
    /// Held while the length is asked for, so that it is asked for once.
    private let state = Mutex(State.undecided)
    private let closed = Atomic(false)

    /// Serves `resource`, or else `fallback`.
    public convenience init(_ resource: any Resource, fallback: any Resource) {
        self.init(resource) { _ in fallback }
    }

    /// Serves `resource`, or else what `fallback` makes of its error.
    public init(_ resource: any Resource, fallback: @escaping @Sendable (ResourceError) -> any Resource) {
        original = resource
        self.fallback = fallback
    }

    /// The link of the one that serves; of the first as long as nothing was read.
    public var link: Link {
        let chosen: (any Resource)? = state.withLock { state in
            if case .chosen(let resource) = state { resource } else { nil }
        }
        return (chosen ?? original).link
    }

    /// The length of the one that serves.
    public var length: Result<Int64, ResourceError> { served.length }

    /// The file of the one that serves.
    public var file: URL? { served.file }

    /// Reads the one that serves.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { served.read(range: range) }

    /// Reads the one that serves as text.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        served.readAsString(encoding: encoding)
    }

    /// Streams the one that serves.
    public func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError> {
        served.stream(range: range, consume: consume)
    }

    /// Closes the first, and the other if it served. Waits for no read that is under way.
    public func close() {
        closed.store(true, ordering: .sequentiallyConsistent)
        original.close()
        // Who holds the lock sees that it was closed when it lets go of it.
        state.withLockIfAvailable { state in
            if case .chosen(let resource) = state { resource.close() }
        }
    }

    private var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

    private var served: any Resource {
        guard !isClosed else { return failing }
        let chosen = state.withLock { state in
            if case .chosen(let resource) = state { return resource }
            var chosen = original
            if case .failure(let error) = original.length { chosen = isClosed ? failing : fallback(error) }
            state = .chosen(chosen)
            return chosen
        }
        guard isClosed else { return chosen }
        chosen.close()
        return failing
    }

    private var failing: any Resource {
        FailureResource(link: original.link, error: .unavailable(RequestProblem.closed))
    }
}
