import JSON
import OverlayHost

/// A parsed line of the client: a request, or a notification, which does not have an id.
struct RPCRequest: Sendable {
    /// A string or an integer; nil for a notification.
    var id: JSONValue?
    var method: String
    var parameters: JSONObject

    /// The longest line in bytes: 32 MiB.
    static let longestLine = 32 << 20
    /// The most levels of arrays and objects.
    static let deepest = 64

    /// The error for a line that is not a request, with the id for the answer; null if the line has none.
    struct Refusal: Error {
        var id: JSONValue
        var failure: RPCFailure
    }

    /// Parses one line.
    init(_ line: [UInt8]) throws(Refusal) {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(
                parsing: line, rules: JSONRules(deepest: Self.deepest, repeatedNames: .refused))
        } catch {
            throw Refusal(id: .null, failure: RPCFailure(.noJSON, "The line is not JSON: \(error.message)"))
        }
        guard let object = value.object else {
            throw Self.invalid(
                .null,
                value.elements == nil
                    ? "A request is a JSON object." : "Batches of requests are not supported.")
        }
        switch object["id"] {
        case nil: id = nil
        case .string(let text): id = .string(text)
        case .number(let number) where number.integer != nil: id = .number(number)
        default: throw Self.invalid(.null, "The id must be a string or an integer.")
        }
        guard object["jsonrpc"]?.string == "2.0" else {
            throw Self.invalid(id ?? .null, "A request has the member \"jsonrpc\": \"2.0\".")
        }
        guard let method = object["method"]?.string else {
            throw Self.invalid(id ?? .null, "'method' must be a string.")
        }
        self.method = method
        switch object["params"] {
        case nil: parameters = JSONObject()
        case .object(let given): parameters = given
        default:
            throw Refusal(
                id: id ?? .null,
                failure: RPCFailure(
                    .invalidParameters, "'params' must be an object.", subject: "params"))
        }
    }

    private static func invalid(_ id: JSONValue, _ message: String) -> Refusal {
        Refusal(id: id, failure: RPCFailure(.invalidRequest, message))
    }
}

/// An error for the client.
struct RPCFailure: Error {
    /// The error numbers of the protocol.
    enum Code: Int64 {
        case noJSON = -32700
        case invalidRequest = -32600
        case unknownMethod = -32601
        case invalidParameters = -32602
        case failed = -32000
        case unknownVersion = -32001
        case notInitialized = -32002
        case cancelled = -32800
    }

    var code: Code
    /// The error that the client gets as `data`.
    var error: HostError
    /// Further members of `data`.
    var more = JSONObject()

    /// Creates an error of the protocol.
    init(_ code: Code, _ message: String, subject: String? = nil, hint: String? = nil) {
        self.code = code
        error = HostError(.invalidArgument, message, subject: subject, hint: hint)
    }

    /// Creates an error of the host.
    init(_ error: HostError) {
        self.error = error
        switch error.code {
        case .cancelled: code = .cancelled
        case .parameter:
            code = .invalidParameters
            self.error.code = .invalidArgument
        default: code = .failed
        }
    }

    /// The member `error` of an answer.
    var json: JSONValue {
        var data = ErrorReport.body(error).object ?? JSONObject()
        for member in more.members { data[member.name] = member.value }
        return .document([
            "code": .integer(code.rawValue), "message": .string(error.message), "data": .object(data),
        ])
    }
}

extension HostErrorCode {
    /// A parameter of a request is wrong. The client gets `invalid_argument` and the JSON-RPC error number for it.
    static let parameter = HostErrorCode(rawValue: "invalid_params")
    /// The session does not exist or has ended.
    static let sessionUnknown = HostErrorCode(rawValue: "session_unknown")
}
