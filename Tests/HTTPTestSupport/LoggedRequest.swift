/// One request as the scripted server saw it.
public struct LoggedRequest: Codable, Sendable {
    /// `GET` or `HEAD`.
    public var method: String
    /// The path without the query.
    public var path: String
    /// The path and query as they were sent.
    public var target: String
    /// The header fields by their names in lower case.
    public var headers: [String: String]
    /// The connection that it came over, counted from 1.
    public var connection: Int

    /// A request.
    public init(method: String, path: String, target: String, headers: [String: String], connection: Int) {
        self.connection = connection
        self.method = method
        self.path = path
        self.target = target
        self.headers = headers
    }

    /// The field `Range`.
    public var range: String? { headers["range"] }
}
