import JSON
import OverlayHost

extension JSONValue {
    /// An object with the given members in order; nil members are left out.
    static func document(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        var object = JSONObject()
        for (name, value) in members where value != nil { object[name] = value }
        return .object(object)
    }

    /// The text, or null.
    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
