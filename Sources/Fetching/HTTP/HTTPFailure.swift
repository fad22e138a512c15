import FoundationEssentials

/// Why a step of reading failed, and whether it may be tried once more.
struct HTTPFailure: Error {
    let error: ResourceError
    let deservesRetry: Bool

    init(_ error: ResourceError) {
        self.error = error
        deservesRetry = false
    }

    init(_ error: HTTPError) {
        self.error = ResourceError(error)
        deservesRetry = error.deservesRetry
    }
}

extension ResourceError {
    /// The case for a request without an answer (fetcher reference, section 5).
    init(_ error: HTTPError) {
        switch error.code {
        case .cancelled: self = .cancelled
        case .malformedURL, .malformedRequest: self = .badRequest(error)
        case .addressRefused: self = .forbidden(error)
        case .cannotResolve, .cannotConnect, .connectionLost, .incompleteBody, .timedOut:
            self = .unavailable(error)
        default: self = .other(error)
        }
    }

    /// The case for an error status (fetcher reference, section 5).
    init(_ error: HTTPStatusError) {
        switch error.status {
        case 400: self = .badRequest(error)
        case 401, 402, 403, 407, 451: self = .forbidden(error)
        case 404, 410: self = .notFound(error)
        case 408, 425, 429, 502, 503, 504: self = .unavailable(error)
        default: self = .other(error)
        }
    }
}
