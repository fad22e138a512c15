import Archives

/// Why a resource could not be delivered (Readium's composite fetcher proposal).
///
/// Two errors are equal when they are of the same case: the cause is for logs.
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
    /// The request made no sense: parameters that a template needs, an HREF that the fetcher cannot understand.
    case badRequest(any Error)
    /// The resource does not exist.
    case notFound((any Error)? = nil)
    /// The resource is there and may not be read: no permission, encrypted, a licence is locked.
    case forbidden((any Error)? = nil)
    /// The source cannot be reached, which usually passes.
    case unavailable((any Error)? = nil)
    /// The caller asked to stop.
    case cancelled
    /// Everything else.
    case other(any Error)

    /// The status of HTTP that says the same: 400, 404, 403, 503, 499 or 500.
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

    /// The error below this one, for logs.
    public var cause: (any Error)? {
        switch self {
        case .badRequest(let cause), .other(let cause): cause
        case .notFound(let cause), .forbidden(let cause), .unavailable(let cause): cause
        case .cancelled: nil
        }
    }

    /// Whether the same request may succeed a moment later, so that the failure must not be remembered.
    package var isTemporary: Bool {
        switch self {
        case .unavailable, .cancelled: true
        case .badRequest, .notFound, .forbidden, .other: false
        }
    }
}

extension ResourceError: Equatable {
    /// Whether both are of the same case.
    public static func == (left: ResourceError, right: ResourceError) -> Bool {
        left.httpStatusCode == right.httpStatusCode
    }
}

extension ResourceError: CustomStringConvertible {
    /// The case in words, and the cause.
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
    /// The error of a resource whose source of bytes failed.
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

    /// The error of an entry of an archive.
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

/// Why a request made no sense, or was refused without asking a source: the cause of a `ResourceError`.
public typealias RequestProblem = Failure<RequestProblemCode>

/// The kind of a `RequestProblem`. Later versions may add codes.
public struct RequestProblemCode: FailureCode {
    /// Lower case words joined by `_`; never renamed.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The template of the HREF is damaged, or lacks a value.
    public static let template = Self(rawValue: "template")
    /// No fetcher or archive has the HREF.
    public static let noSuchResource = Self(rawValue: "no_such_resource")
    /// The bytes do not have the encoding that they claim.
    public static let encoding = Self(rawValue: "encoding")
    /// The resource or its fetcher was closed.
    public static let closed = Self(rawValue: "closed")
    /// The system lacks what is needed, such as a thread.
    public static let noMeans = Self(rawValue: "no_means")
}

extension Failure where Code == RequestProblemCode {
    /// The cause of reads after closing.
    package static let closed = RequestProblem(.closed, "The resource was closed.")
}
