import FoundationEssentials
import JSON

/// The stored data of an answer except its body: its head, and which bytes of the body are available.
struct CacheRecord: Sendable {
    /// The head of the answer; `url` is the address after redirects.
    var response: HTTPResponse
    /// The validator for conditional requests: a strong `ETag` or a strong `Last-Modified`.
    var validator: String
    /// The name of the file with the body.
    var body: String
    /// The length of the content; nil if it is not known yet.
    var total: Int64?
    /// The time when the server sent or confirmed the answer, in seconds since 1970.
    var storedAt: Int64
    /// The bytes of the content that the body has.
    var present = ByteIntervals()

    /// Whether all bytes of the content are available.
    var isComplete: Bool { total.map { present.contains(0..<$0) } ?? false }

    /// Creates a record with an empty body.
    init(response: HTTPResponse, validator: String, body: String, total: Int64?, storedAt: Int64) {
        self.response = response
        self.validator = validator
        self.body = body
        self.total = total
        self.storedAt = storedAt
    }

    /// The validator of an answer, if its ranges may be combined (RFC 9110 sections 8.8.2 and 8.8.3) and its server
    /// allows it to be stored (RFC 9111 section 3); nil otherwise.
    static func validator(of response: HTTPResponse) -> String? {
        let headers = response.headers
        guard response.status == 200 || response.status == 206, response.contentCoding == nil,
            !CacheControl(headers["Cache-Control"]).noStore,
            headers["Vary"].map({ ASCII.trimmed($0) != "*" }) ?? true
        else { return nil }
        if let tag = response.strongTag { return tag }
        // If the answer was sent in the second of the last change, a later change in the same second would not be
        // detected.
        guard let modified = headers["Last-Modified"], let date = headers["Date"], modified != date else {
            return nil
        }
        return modified
    }

    /// Whether the content may be used without asking the server. Never true for incomplete content, because the rest
    /// must be of the same version.
    func isFresh(at now: Int64) -> Bool {
        let control = CacheControl(response.headers["Cache-Control"])
        guard isComplete, !control.noCache, let lifetime = control.maxAge else { return false }
        let age = min(response.headers["Age"].flatMap { ASCII.number($0) } ?? 0, Int64(Int32.max))
        // If the clock went back, the age is unknown.
        return now >= storedAt && now - storedAt + age < lifetime
    }

    /// Updates the record from a 304 answer (RFC 9111 section 4.3.4).
    mutating func confirm(by answer: HTTPResponse, at now: Int64) {
        for name in ["Cache-Control", "Date", "Expires", "ETag", "Last-Modified", "Vary"] {
            if let value = answer.headers[name] { response.headers[name] = value }
        }
        // An age belongs to a single answer.
        response.headers["Age"] = answer.headers["Age"]
        storedAt = now
    }
}

// The file format: one JSON object. If a field is missing or has another type, the record is invalid.
extension CacheRecord {
    private static let version: Int64 = 2

    /// Parses a record from the bytes of a file.
    init?(_ bytes: [UInt8]) {
        let value: JSONValue
        do throws(JSONSyntaxError) { value = try JSONValue(parsing: bytes) } catch { return nil }
        guard let object = value.object, object["version"]?.integer == Self.version,
            let url = object["url"]?.string, let validator = object["validator"]?.string,
            let body = object["body"]?.string, !body.contains("/"), !body.hasPrefix("."),
            let storedAt = object["stored_at"]?.integer, let fields = object["headers"]?.elements,
            let intervals = object["present"]?.elements, (0...Int64(1) << 48).contains(storedAt),
            object["total"]?.integer ?? 0 >= 0
        else { return nil }
        var headers = HTTPHeaders()
        for field in fields {
            guard let pair = field.elements, pair.count == 2, let name = pair[0].string,
                let text = pair[1].string
            else { return nil }
            headers.add(name, text)
        }
        let total = object["total"]?.integer
        self.init(
            response: HTTPResponse(url: url, status: 200, headers: headers), validator: validator, body: body,
            total: total, storedAt: storedAt)
        for interval in intervals {
            guard let ends = interval.elements, ends.count == 2, let start = ends[0].integer,
                let end = ends[1].integer, 0 <= start, start < end, end <= total ?? .max
            else { return nil }
            present.insert(start..<end)
        }
    }

    /// The record as the JSON of its file.
    var json: JSONObject {
        var object = JSONObject()
        object["version"] = .integer(Self.version)
        object["url"] = .string(response.url)
        object["validator"] = .string(validator)
        object["body"] = .string(body)
        object["total"] = total.map { .integer($0) }
        object["stored_at"] = .integer(storedAt)
        object["headers"] = .array(
            response.headers.fields.filter { Self.isKept($0.name) }.map {
                .array([.string($0.name), .string($0.value)])
            })
        object["present"] = .array(
            present.intervals.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) })
        return object
    }

    /// Whether a header field is stored. Cookies are not, and lengths and ranges belong to a single answer.
    private static func isKept(_ name: String) -> Bool {
        !["set-cookie", "content-length", "content-range"].contains(ASCII.lowercased(name))
    }
}

/// The directives of `Cache-Control` that a private cache observes (RFC 9111 section 5.2.2).
struct CacheControl: Equatable {
    var noStore = false
    var noCache = false
    /// The maximum age in seconds. A value that is not a number counts as 0, which means expired.
    var maxAge: Int64?

    init(_ text: String?) {
        for directive in (text ?? "").split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            switch ASCII.lowercased(ASCII.trimmed(parts[0])) {
            case "no-store": noStore = true
            // With field names, the directive forbids only those fields. Treating it as general costs at most one
            // request.
            case "no-cache": noCache = true
            case "max-age":
                let text = parts.count > 1 ? ASCII.trimmed(parts[1]).filter { $0 != "\"" } : ""
                let seconds = text.isEmpty || !text.utf8.allSatisfy(ASCII.isDigit) ? 0 : Int64(text) ?? .max
                // Of several values, the smallest applies. The limit prevents an overflow when the age is added.
                maxAge = min(maxAge ?? seconds, seconds, Int64(Int32.max))
            default: break
            }
        }
    }
}
