/// What a server answered, without the body.
public struct HTTPResponse: Sendable, Equatable {
    /// The URL that answered, after redirects.
    public var url: String
    /// 200 to 599; interim answers below 200 are not shown.
    public var status: Int
    /// The fields of the last answer.
    public var headers: HTTPHeaders

    /// An answer.
    public init(url: String, status: Int, headers: HTTPHeaders = [:]) {
        self.url = url
        self.status = status
        self.headers = headers
    }

    /// `Content-Length`, when it is one number; several equal ones count as one (RFC 9110 section 8.6).
    public var contentLength: Int64? {
        let parts = (headers["Content-Length"] ?? "").split(separator: ",").map {
            ASCII.number(ASCII.trimmed($0))
        }
        guard let first = parts.first, parts.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The coding of the body, nil when the bytes are those of the resource.
    public var contentCoding: String? {
        guard let coding = headers["Content-Encoding"].map({ ASCII.lowercased(ASCII.trimmed($0)) }),
            !coding.isEmpty, coding != "identity"
        else { return nil }
        return coding
    }
}
