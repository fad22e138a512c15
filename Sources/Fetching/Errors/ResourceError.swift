import Archives

/// The reason why a resource could not be delivered (Readium's composite fetcher proposal).
///
/// Two errors are equal if they have the same case. The cause is for logs.
///
/// ```swift
/// let page = HTTPFetcher().get(href: "https://example.com/book.epub")
/// switch page.read(range: 0..<100) {
/// case .success(let bytes): print(bytes.count)
/// case .failure(.notFound): print("The book does not exist.")
/// case .failure(let error): print(error.httpStatusCode, error)
/// }
/// page.close()
/// ```
public enum ResourceError: Error, Sendable {
    /// The request was invalid: a template parameter is missing, or the fetcher does not understand the HREF.
    case badRequest(any Error)
    /// The resource does not exist.
    case notFound((any Error)? = nil)
    /// The resource exists but may not be read: permission denied, encrypted, or the license is locked.
    case forbidden((any Error)? = nil)
    /// The source cannot be reached, which is usually temporary.
    case unavailable((any Error)? = nil)
    /// The caller cancelled the operation.
    case cancelled
    /// Any other error.
    case other(any Error)

    /// The equivalent HTTP status: 400, 404, 403, 503, 499 or 500.
    public var httpStatusCode: Int {
        switch self {
        case .badRequest: 400
        case .notFound: 404
        case .forbidden: 403
        case .unavailable: 503
        case .cancelled: 499
        case .other: 500
        }
    }

    /// The underlying error, for logs.
    public var cause: (any Error)? {
        switch self {
        case .badRequest(let cause), .other(let cause): cause
        case .notFound(let cause), .forbidden(let cause), .unavailable(let cause): cause
        case .cancelled: nil
        }
    }

    /// Whether the same request may succeed a moment later, so that the failure must not be cached.
    package var isTemporary: Bool {
        switch self {
        case .unavailable, .cancelled: true
        case .badRequest, .notFound, .forbidden, .other: false
        }
    }
}

extension ResourceError: Equatable {
    /// Whether both errors have the same case.
    public static func == (left: ResourceError, right: ResourceError) -> Bool {
        left.httpStatusCode == right.httpStatusCode
    }
}

extension ResourceError: CustomStringConvertible {
    /// The case in words, followed by the cause.
    public var description: String {
        let name =
            switch self {
            case .badRequest: "bad request"
            case .notFound: "not found"
            case .forbidden: "forbidden"
            case .unavailable: "unavailable"
            case .cancelled: "cancelled"
            case .other: "failed"
            }
        return cause.map { "\(name): \($0)" } ?? name
    }
}

extension ResourceError {
    /// Converts the error of a byte source.
    package init(_ error: ByteSourceError) {
        if let below = error.underlying as? ResourceError {
            self = below
            return
        }
        switch error.code {
        case .notFound: self = .notFound(error)
        case .forbidden: self = .forbidden(error)
        case .unavailable, .closed: self = .unavailable(error)
        case .cancelled: self = .cancelled
        default: self = .other(error)
        }
    }

    /// Converts the error of an archive entry.
    package init(_ error: ArchiveError) {
        switch error.code {
        case .notFound: self = .notFound(error)
        case .encrypted: self = .forbidden(error)
        case .closed: self = .unavailable(error)
        case .unreadable:
            self = (error.underlying as? ByteSourceError).map { ResourceError($0) } ?? .unavailable(error)
        default: self = .other(error)
        }
    }
}

/// The reason why a request was invalid, or was refused without asking a source. It is the cause of a
/// `ResourceError`.
///
/// ```swift
/// func explain(_ error: ResourceError) {
///     guard let problem = error.cause as? RequestProblem else { return }
///     print(problem.subject ?? "", problem.message)
///     if problem.code == .template { print("Check the parameters.") }
/// }
/// ```
public typealias RequestProblem = Failure<RequestProblemCode>

/// The kind of a `RequestProblem`. Later versions may add codes.
///
/// ```swift
/// func isClosed(_ error: ResourceError) -> Bool {
///     (error.cause as? RequestProblem)?.code == RequestProblemCode.closed
/// }
/// ```
public struct RequestProblemCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The template of the HREF is malformed or lacks a value.
    public static let template = Self(rawValue: "template")
    /// No fetcher or archive has the HREF.
    public static let noSuchResource = Self(rawValue: "no_such_resource")
    /// The bytes are invalid in the encoding that they declare.
    public static let encoding = Self(rawValue: "encoding")
    /// The resource or its fetcher was closed.
    public static let closed = Self(rawValue: "closed")
}

extension Failure where Code == RequestProblemCode {
    /// The cause of errors of reads after closing.
    package static let closed = RequestProblem(.closed, "The resource was closed.")
}
