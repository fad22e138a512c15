import FoundationEssentials
import Platform

/// Complete content that is produced once and kept until it is closed.
///
/// The lock is never held while the content is produced, so closing never waits.
final class WholeContent: Sendable {
    private enum State {
        case unknown
        /// A thread is producing it; others wait.
        case inTheMaking
        case known(Result<Data, ResourceError>)
        case closed
    }

    private let make: @Sendable () -> Result<Data, ResourceError>
    private let keepsFailures: Bool
    private let state: Monitor<State>

    /// - Parameters:
    ///   - keepsFailures: whether a permanent failure is kept as the result.
    /// - make: produces the content. Not called concurrently.
    init(keepsFailures: Bool = false, _ make: @escaping @Sendable () -> Result<Data, ResourceError>) {
        self.keepsFailures = keepsFailures
        self.make = make
        state = Monitor(.unknown)
    }

    /// Creates content that is already available.
    init(_ data: Data) {
        keepsFailures = false
        make = { .success(data) }
        state = Monitor(.known(.success(data)))
    }

    /// The content if it is already available.
    var known: Data? {
        state.change { state in
            if case .known(.success(let data)) = state { data } else { nil }
        }
    }

    /// The content. A second thread waits for the first one, and fails at once if the content is closed.
    func load() -> Result<Data, ResourceError> {
        let found: Result<Data, ResourceError>? = state.wait { state in
            switch state {
            case .known(let content): return .some(content)
            case .closed: return .some(.failure(.unavailable(RequestProblem.closed)))
            case .inTheMaking: return nil
            case .unknown:
                state = .inTheMaking
                return .some(nil)
            }
        }
        if let found { return found }
        let made = make()
        return state.change { state in
            guard case .inTheMaking = state else { return .failure(.unavailable(RequestProblem.closed)) }
            switch made {
            case .success: state = .known(made)
            case .failure(let error): state = keepsFailures && !error.isTemporary ? .known(made) : .unknown
            }
            return made
        }
    }

    /// Releases the content. Loading fails from now on, even for threads that are waiting.
    func close() { state.change { $0 = .closed } }
}
