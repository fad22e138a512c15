import Foundation
import JSON

/// The JSON Schemas in `docs/json`, with as much of draft 2020-12 as they use.
///
/// They are stricter than the standard, so that every member is documented: an object has only the members that its
/// schema names, unless the schema says otherwise.
struct DocumentSchema {
    /// Keywords that only describe, and keywords that are checked.
    private static let describing: Set<String> = ["$schema", "$id", "title", "description", "$defs"]
    private static let deciding: Set<String> = [
        "$ref", "anyOf", "type", "const", "enum", "properties", "required", "additionalProperties", "items",
        "minimum", "maximum",
    ]

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../docs/json").standardizedFileURL

    private let root: JSONValue

    /// Reads the schema with this name.
    init(_ name: String) throws {
        let file = Self.folder.appendingPathComponent("\(name).schema.json")
        root = try JSONValue(parsing: Array(try Data(contentsOf: file)))
    }

    /// A schema that a test defines.
    init(text: String) throws { root = try JSONValue(parsing: text) }

    /// The names of all schemas.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".schema.json") }.map { String($0.dropLast(".schema.json".count)) }
            .sorted()
    }

    /// What is wrong with a value; empty if it fits.
    func problems(_ value: JSONValue) throws -> [String] { try Self.problems(value, root, "$") }

    /// Unsupported keywords, and references without a target.
    func unknown() throws -> [String] { try Self.unknown(root) }

    private static func unknown(_ schema: JSONValue) throws -> [String] {
        guard let object = schema.object else { return [] }
        var found: [String] = []
        for (name, value) in object.members.map({ ($0.name, $0.value) }) {
            switch name {
            case "properties":
                for member in value.object?.members ?? [] { found += try unknown(member.value) }
            case "anyOf": for element in elements(value) { found += try unknown(element) }
            case "items": found += try unknown(value)
            case "$ref": _ = try referred(value)
            default: if !describing.contains(name), !deciding.contains(name) { found.append(name) }
            }
        }
        return found
    }

    private static func referred(_ reference: JSONValue) throws -> JSONValue {
        let file = folder.appendingPathComponent(reference.string ?? "")
        return try JSONValue(parsing: Array(try Data(contentsOf: file)))
    }

    private static func elements(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let elements)? = value { elements } else { [] }
    }

    private static func problems(_ value: JSONValue, _ schema: JSONValue, _ path: String) throws -> [String] {
        guard let rules = schema.object else { return [] }
        if let reference = rules["$ref"] { return try problems(value, referred(reference), path) }
        if rules["anyOf"] != nil {
            let attempts = try elements(rules["anyOf"]).map { try problems(value, $0, path) }
            return attempts.min { $0.count < $1.count } ?? []
        }
        var found: [String] = []
        let types = rules["type"]?.string.map { [$0] } ?? rules["type"]?.strings
        if let types, !types.contains(where: { isOf($0, value) }) {
            found.append("\(path) is not \(types.joined(separator: " or ")): \(value.text().prefix(60))")
        }
        if let constant = rules["const"], constant != value { found.append("\(path) is not the constant") }
        if rules["enum"] != nil, !elements(rules["enum"]).contains(value) {
            found.append("\(path) is none of the words: \(value.text())")
        }
        if case .number(let number) = value, let amount = Double(number.literal) {
            if case .number(let least)? = rules["minimum"], let least = Double(least.literal), amount < least
            {
                found.append("\(path) is less than \(least)")
            }
            if case .number(let most)? = rules["maximum"], let most = Double(most.literal), amount > most {
                found.append("\(path) is more than \(most)")
            }
        }
        if case .array(let elements) = value, let items = rules["items"] {
            for (place, element) in elements.enumerated() {
                found += try problems(element, items, "\(path)[\(place)]")
            }
        }
        return try found + members(value, rules, path)
    }

    private static func members(
        _ value: JSONValue, _ rules: JSONObject, _ path: String
    ) throws -> [String] {
        guard let object = value.object, let known = rules["properties"]?.object else { return [] }
        var found: [String] = []
        for name in rules["required"]?.strings ?? [] where object[name] == nil {
            found.append("\(path) lacks \(name)")
        }
        for member in object.members {
            if let rule = known[member.name] {
                found += try problems(member.value, rule, "\(path).\(member.name)")
            } else if rules["additionalProperties"] != .bool(true) {
                found.append("\(path) has the undocumented member \(member.name)")
            }
        }
        return found
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("string", .string), ("object", .object), ("array", .array), ("boolean", .bool), ("null", .null),
            ("number", .number):
            true
        case ("integer", .number(let number)): Int64(number.literal) != nil
        default: false
        }
    }
}
