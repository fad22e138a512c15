import FoundationEssentials
import Synchronization

/// A resource in whose place another one serves if its length cannot be told.
public final class FallbackResource: Resource {
    private enum State {
        case undecided
        case chosen(any Resource)
        case closed
    }

    private let original: any Resource
    private let fallback: @Sendable (ResourceError) -> any Resource
    private let state = Mutex(State.undecided)

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

    /// Closes the first, and the other if it served.
    public func close() {
        let chosen: (any Resource)? = state.withLock { state in
            defer { state = .closed }
            if case .chosen(let resource) = state { return resource }
            return nil
        }
        original.close()
        chosen?.close()
    }

    private var served: any Resource {
        state.withLock { state in
            switch state {
            case .chosen(let resource): return resource
            case .closed:
                return FailureResource(link: original.link, error: .unavailable(RequestProblem.closed))
            case .undecided:
                guard case .failure(let error) = original.length else {
                    state = .chosen(original)
                    return original
                }
                let other = fallback(error)
                state = .chosen(other)
                return other
            }
        }
    }
}
