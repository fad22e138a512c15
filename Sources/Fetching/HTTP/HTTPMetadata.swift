import JSON

/// The metadata of an answer that concern the version and the caching of its content. A caching parent reads them
/// from the property `http` of a link.
///
/// The values are as the server sent them; absent fields are nil.
///
/// ```swift
/// let book = HTTPFetcher().get(href: "https://example.com/emma.epub")
/// print(try book.length.get())  // asks the server
/// if let metadata = HTTPMetadata(book.link.properties[HTTPMetadata.propertyName]) {
///     print(metadata.etag ?? "no version", metadata.cacheControl ?? "")
/// }
/// ```
public struct HTTPMetadata: Sendable, Equatable {
    /// The name of the property.
    public static let propertyName = "http"

    /// `ETag`, with its quotes and `W/`.
    public var etag: String?
    /// `Last-Modified`.
    public var lastModified: String?
    /// `Date`.
    public var date: String?
    /// `Cache-Control`; several fields are joined.
    public var cacheControl: String?
    /// `Expires`.
    public var expires: String?
    /// `Age`.
    public var age: String?
    /// `Vary`.
    public var vary: String?
    /// `Accept-Ranges`.
    public var acceptRanges: String?
    /// Whether the request had `Authorization`, in which case the answer may be private to one user.
    public var isAuthorized = false

    /// Creates empty metadata.
    public init() {}

    /// Creates the metadata of the answer to a request with these headers.
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

    /// Reads the metadata from a property of a link; nil if the property is not an object.
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
