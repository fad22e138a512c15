import Foundation
import Testing

/// The JSON Schema of the protocol, with the keywords that it uses: type, const, enum, properties, required,
/// additionalProperties, items, anyOf and internal references.
///
/// `@unchecked`: the schema does not change after it was read.
struct MessageSchema: @unchecked Sendable {
    private let root: [String: Any]

    /// The schema that is published with the protocol.
    init() throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/rpc/schema.json")
        let text = try Data(contentsOf: file.standardized)
        root = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
    }

    /// The names of its definitions.
    var names: Set<String> { Set((root["$defs"] as? [String: Any] ?? [:]).keys) }

    /// How a value differs from a definition; empty if it does not.
    func problems(_ value: Any, _ definition: String) -> [String] {
        guard let schema = (root["$defs"] as? [String: Any])?[definition] else {
            return ["There is no definition \(definition)."]
        }
        return check(value, schema, definition)
    }

    private func check(_ value: Any, _ schema: Any, _ place: String) -> [String] {
        guard let schema = schema as? [String: Any] else { return ["\(place): the schema is not an object"] }
        if let reference = schema["$ref"] as? String {
            return problems(value, String(reference.split(separator: "/").last ?? ""))
        }
        if let choices = schema["anyOf"] as? [Any] {
            let problems = choices.map { check(value, $0, place) }
            return problems.contains { $0.isEmpty } ? [] : ["\(place): fits none of \(choices.count)"]
        }
        if let wanted = schema["const"] as? String, wanted != value as? String {
            return ["\(place): not \(wanted)"]
        }
        if let allowed = schema["enum"] as? [String], !allowed.contains(value as? String ?? "") {
            return ["\(place): \(value) is none of \(allowed)"]
        }
        let types = schema["type"].map { $0 as? [String] ?? [$0 as? String ?? ""] } ?? []
        guard types.isEmpty || types.contains(where: { Self.isOf(value, $0) }) else {
            return ["\(place): \(value) is not of type \(types)"]
        }
        if let items = schema["items"], let values = value as? [Any] {
            return values.enumerated().flatMap { check($1, items, "\(place)[\($0)]") }
        }
        guard let object = value as? [String: Any] else { return [] }
        let known = schema["properties"] as? [String: Any] ?? [:]
        let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
        var problems = missing.map { "\(place): \($0) is missing" }
        for (name, member) in object {
            if let rule = known[name] ?? (schema["additionalProperties"] as? [String: Any]) {
                problems += check(member, rule, "\(place).\(name)")
            } else if schema["additionalProperties"] as? Bool == false {
                problems.append("\(place): \(name) is unknown")
            }
        }
        return problems
    }

    private static func isOf(_ value: Any, _ type: String) -> Bool {
        switch type {
        case "null": return value is NSNull
        case "string": return value is String
        case "array": return value is [Any]
        case "object": return value is [String: Any]
        default: break
        }
        guard let number = value as? NSNumber, !(value is String) else { return false }
        let isBool = String(cString: number.objCType) == "c"
        switch type {
        case "boolean": return isBool
        case "integer": return !isBool && number.doubleValue == number.doubleValue.rounded()
        case "number": return !isBool
        default: return false
        }
    }
}
