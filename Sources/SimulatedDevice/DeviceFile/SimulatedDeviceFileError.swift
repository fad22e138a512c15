import Diagnostics

/// An invalid device file, or an invalid member of one.
///
/// `subject` is the member as written in the file, with its path, such as `apps[0].bundle_id`; nil for the file as a
/// whole.
public typealias SimulatedDeviceFileError = Failure<SimulatedDeviceFileErrorCode>

/// The kind of a `SimulatedDeviceFileError`.
public struct SimulatedDeviceFileErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    public let rawValue: String

    /// Creates a code from its text; any text is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The value of a member is outside its valid range or set.
    public static let invalidValue = Self(rawValue: "invalid_value")
    /// The value of a member has the wrong type.
    public static let wrongType = Self(rawValue: "wrong_type")
    /// A required member is missing.
    public static let missing = Self(rawValue: "missing")
    /// The file is not JSON, or contains a number that cannot be read.
    public static let malformed = Self(rawValue: "malformed")
}

extension Failure where Code == SimulatedDeviceFileErrorCode {
    /// The member of the file, the same as `subject`.
    public var member: String? { subject }

    /// Creates an error for a member, by its name in the file or in Swift, whose value is invalid.
    init(member: String, value: String, expected: String) {
        self.init(
            .invalidValue, "The value cannot be '\(value)'; it must be \(expected).",
            subject: Self.snakeCase(member))
    }

    /// Converts a decoding error, with the names used in the file.
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let member = Self.path(context.codingPath)
            self.init(
                .wrongType, "The \(member == nil ? "device file" : "value") must be \(Self.kind(type)).",
                subject: member, underlying: error)
        case .keyNotFound(let key, let context):
            self.init(
                .missing, "The setting is required.", subject: Self.path(context.codingPath + [key]),
                underlying: error)
        case .dataCorrupted(let context):
            // For a number that does not fit its member, the decoder reports corrupt data without naming the member.
            self.init(
                .malformed, "This is not valid JSON, or contains a number that is too large or not whole.",
                subject: Self.path(context.codingPath), underlying: error)
        @unknown default:
            self.init(.malformed, "Cannot read the device file: \(error).", underlying: error)
        }
    }

    /// The path of a member; nil for the file as a whole.
    private static func path(_ keys: [any CodingKey]) -> String? {
        let path = keys.reduce("") { path, key in
            if let index = key.intValue { return path + "[\(index)]" }
            return path + (path.isEmpty ? "" : ".") + snakeCase(key.stringValue)
        }
        return path.isEmpty ? nil : path
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
