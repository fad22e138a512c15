/// A device file, or one of its members, that means nothing.
public struct SimulatedDeviceFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The member, as it is written in the file, with the way to it, such as `apps[0].bundle_id`; nil for the file as a whole.
    public let member: String?
    /// One sentence for a person that names the member.
    public let message: String

    /// A member, by its name in the file or in Swift, with a value that it cannot have.
    init(member: String, value: String, expected: String? = nil) {
        let name = Self.snakeCase(member)
        self.member = name
        message = "\(name) cannot be '\(value)'" + (expected.map { "; it must be \($0)." } ?? ".")
    }

    /// What decoding says, with the names of the file.
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let path = Self.path(context.codingPath)
            member = path.isEmpty ? nil : path
            message = "\(member ?? "The device file") must be \(Self.kind(type))."
        case .keyNotFound(let key, let context):
            member = Self.path(context.codingPath + [key])
            message = "\(Self.path(context.codingPath + [key])) is missing."
        case .dataCorrupted(let context):
            let path = Self.path(context.codingPath)
            member = path.isEmpty ? nil : path
            // The decoder calls a number that does not fit its member corrupt, and does not say which it is.
            message =
                "\(member ?? "The device file") is not valid JSON, or contains a number that is too "
                + "large or not whole."
        @unknown default:
            member = nil
            message = "Cannot read the device file: \(error)."
        }
    }

    /// The sentence.
    public var description: String { message }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { path, key in
            if let index = key.intValue { return path + "[\(index)]" }
            return path + (path.isEmpty ? "" : ".") + snakeCase(key.stringValue)
        }
    }

    static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { text, character in
            if character.isUppercase { text += "_" }
            text += character.lowercased()
        }
    }

    private static func kind(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is Int.Type, is UInt64.Type: "a whole number"
        case is Double.Type: "a number"
        case is [Any].Type: "a list"
        default: "an object in braces"
        }
    }
}
