/// One request as the scripted server saw it.
public struct LoggedRequest: Codable, Sendable {
    /// `GET` or `HEAD`.
    public var method: String
    /// The path without query.
    public var path: String
    /// The path and query as they were sent.
    public var target: String
    /// By names in lower case.
    public var headers: [String: String]
    /// Which connection it came over, counted from 1.
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
