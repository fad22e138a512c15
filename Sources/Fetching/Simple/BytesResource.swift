import FoundationEssentials
import Synchronization

/// Bytes in memory as a resource.
public final class BytesResource: Resource {
    private enum State {
        case lazy(@Sendable () throws -> Data)
        case known(Result<Data, ResourceError>)
        case closed
    }

    /// The link it was made with.
    public let link: Link
    private let state: Mutex<State>

    /// A resource of these bytes.
    public init(link: Link, bytes: Data) {
        self.link = link
        state = Mutex(.known(.success(bytes)))
    }

    /// A resource of bytes that are made when they are first wanted, once.
    ///
    /// - Parameter bytes: makes them; a `ResourceError` it throws is the resource's, any other becomes `other`. A failure that
    ///   may pass is not remembered.
    public init(link: Link, bytes: @escaping @Sendable () throws -> Data) {
        self.link = link
        state = Mutex(.lazy(bytes))
    }

    /// The number of bytes.
    public var length: Result<Int64, ResourceError> { content.map { Int64($0.count) } }

    /// A copy of the bytes asked for.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        content.map { $0.bytes(in: range) }
    }

    /// Lets go of the bytes.
    public func close() { state.withLock { $0 = .closed } }

    private var content: Result<Data, ResourceError> {
        state.withLock { state in
            switch state {
            case .closed: return .failure(.unavailable(RequestProblem.closed))
            case .known(let content): return content
            case .lazy(let make):
                let content = Result(catching: make).mapError { $0 as? ResourceError ?? .other($0) }
                if case .failure(let error) = content, error.isTemporary { return content }
                state = .known(content)
                return content
            }
        }
    }
}
