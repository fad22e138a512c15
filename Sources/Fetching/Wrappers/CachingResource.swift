import FoundationEssentials
import Synchronization

/// A resource whose whole content is kept in memory from the first read on. Not for large ones.
public final class CachingResource: Resource {
    private let resource: any Resource
    private let content: WholeContent

    /// Keeps the content of `resource`, which it closes with itself.
    public init(_ resource: any Resource) {
        self.resource = resource
        content = WholeContent { resource.read(range: nil) }
    }

    /// The link of the resource.
    public var link: Link { resource.link }

    /// The resource's own length before the first read, the number of bytes after it.
    public var length: Result<Int64, ResourceError> {
        content.known.map { .success(Int64($0.count)) } ?? resource.length
    }

    /// The resource's file.
    public var file: URL? { resource.file }

    /// Bytes of what is kept. A failed read is not kept.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        content.load().map { $0.bytes(in: range) }
    }

    /// Forgets the content and closes the resource.
    public func close() {
        content.close()
        resource.close()
    }
}

/// The whole content of something, made once and kept until closed. A failure is not kept.
final class WholeContent: Sendable {
    private enum State {
        case unknown
        case known(Data)
        case closed
    }

    private let make: @Sendable () -> Result<Data, ResourceError>
    private let state = Mutex(State.unknown)

    init(_ make: @escaping @Sendable () -> Result<Data, ResourceError>) { self.make = make }

    /// The content if it was made.
    var known: Data? {
        state.withLock { state in
            if case .known(let data) = state { data } else { nil }
        }
    }

    /// The content; a second thread waits for the first one's.
    func load() -> Result<Data, ResourceError> {
        state.withLock { state in
            switch state {
            case .known(let data): return .success(data)
            case .closed: return .failure(.unavailable(RequestProblem.closed))
            case .unknown:
                let made = make()
                if case .success(let data) = made { state = .known(data) }
                return made
            }
        }
    }

    /// Forgets the content; loading fails from now on.
    func close() { state.withLock { $0 = .closed } }
}
