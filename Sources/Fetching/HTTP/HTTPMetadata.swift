import JSON

/// What an answer says about the version and the storing of its content: the property `http` of a link, which a caching
/// parent reads.
///
/// Fields are as they were sent; absent ones are nil.
public struct HTTPMetadata: Sendable, Equatable {
    /// The name of the property.
    public static let propertyName = "http"

    /// `ETag`, with its quotes and `W/`.
    public var etag: String?
    /// `Last-Modified`.
    public var lastModified: String?
    /// `Date`.
    public var date: String?
    /// `Cache-Control`, several fields joined.
    public var cacheControl: String?
    /// `Expires`.
    public var expires: String?
    /// `Age`.
    public var age: String?
    /// `Vary`.
    public var vary: String?
    /// `Accept-Ranges`.
    public var acceptRanges: String?
    /// Whether the request had `Authorization`, so that the answer may be one person's.
    public var isAuthorized = false

    /// Nothing known.
    public init() {}

    /// The metadata of an answer to a request with some fields.
    init(_ response: HTTPResponse, requestHeaders: HTTPHeaders) {
        let headers = response.headers
        etag = headers["ETag"]
        lastModified = headers["Last-Modified"]
        date = headers["Date"]
        cacheControl = headers["Cache-Control"]
        expires = headers["Expires"]
        age = headers["Age"]
        vary = headers["Vary"]
        acceptRanges = headers["Accept-Ranges"]
        isAuthorized = requestHeaders["Authorization"] != nil
    }

    /// The metadata in a property of a link; nil when it is not an object.
    public init?(_ property: JSONValue?) {
        guard case .object(let object)? = property else { return nil }
        for (name, path) in Self.fields {
            if case .string(let text)? = object[name] { self[keyPath: path] = text }
        }
        isAuthorized = object["authorized"] == .bool(true)
    }

    /// The metadata as the property's value.
    public var json: JSONValue {
        var object = JSONObject()
        for (name, path) in Self.fields { object[name] = self[keyPath: path].map { .string($0) } }
        if isAuthorized { object["authorized"] = .bool(true) }
        return .object(object)
    }

    private static var fields: [(String, WritableKeyPath<HTTPMetadata, String?>)] {
        [
            ("etag", \.etag), ("lastModified", \.lastModified), ("date", \.date),
            ("cacheControl", \.cacheControl), ("expires", \.expires), ("age", \.age), ("vary", \.vary),
            ("acceptRanges", \.acceptRanges),
        ]
    }
}
