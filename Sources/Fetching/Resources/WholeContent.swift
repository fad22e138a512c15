import FoundationEssentials
import Platform

/// The whole content of something, made once and kept until closed.
///
/// The lock is never held while the content is made, so that closing never waits.
final class WholeContent: Sendable {
    private enum State {
        case unknown
        /// Some thread is making it; others wait.
        case inTheMaking
        case known(Result<Data, ResourceError>)
        case closed
    }

    private let make: @Sendable () -> Result<Data, ResourceError>
    private let keepsFailures: Bool
    private let state: Monitor<State>

    /// - Parameters:
    ///   - keepsFailures: whether a lasting failure is the answer from then on.
    ///   - make: makes the content, at most once at a time.
    init(keepsFailures: Bool = false, _ make: @escaping @Sendable () -> Result<Data, ResourceError>) {
        self.keepsFailures = keepsFailures
        self.make = make
        state = Monitor(.unknown)
    }

    /// Content that is there.
    init(_ data: Data) {
        keepsFailures = false
        make = { .success(data) }
        state = Monitor(.known(.success(data)))
    }

    /// The content if it was made.
    var known: Data? {
        state.change { state in
            if case .known(.success(let data)) = state { data } else { nil }
        }
    }

    /// The content; a second thread waits for the first one's, and fails at once when the content is closed.
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

    /// Forgets the content; loading fails from now on, also for those that wait for it.
    func close() { state.change { $0 = .closed } }
}
