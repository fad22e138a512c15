import Diagnostics

/// A device file, or one of its members, that means nothing.
///
/// `subject` is the member as it is written in the file, with the way to it, such as `apps[0].bundle_id`; nil for the file as
/// a whole.
public typealias SimulatedDeviceFileError = Failure<SimulatedDeviceFileErrorCode>

/// The kind of a `SimulatedDeviceFileError`.
public struct SimulatedDeviceFileErrorCode: FailureCode {
    /// Lower case words joined by `_`; never renamed.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A member has a value outside of what it can have.
    public static let invalidValue = Self(rawValue: "invalid_value")
    /// A member has a value of another type.
    public static let wrongType = Self(rawValue: "wrong_type")
    /// A member that must be there is not.
    public static let missing = Self(rawValue: "missing")
    /// The file is not JSON, or has a number that cannot be read.
    public static let malformed = Self(rawValue: "malformed")
}

extension Failure where Code == SimulatedDeviceFileErrorCode {
    /// The member of the file, the same as `subject`.
    public var member: String? { subject }

    /// A member, by its name in the file or in Swift, with a value that it cannot have.
    init(member: String, value: String, expected: String) {
        self.init(
            .invalidValue, "The value cannot be '\(value)'; it must be \(expected).",
            subject: Self.snakeCase(member))
    }

    /// What decoding says, with the names of the file.
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
            // The decoder calls a number that does not fit its member corrupt, and does not say which it is.
            self.init(
                .malformed, "This is not valid JSON, or contains a number that is too large or not whole.",
                subject: Self.path(context.codingPath), underlying: error)
        @unknown default:
            self.init(.malformed, "Cannot read the device file: \(error).", underlying: error)
        }
    }

    /// The way to a member; nil for the file as a whole.
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
