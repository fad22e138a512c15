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
