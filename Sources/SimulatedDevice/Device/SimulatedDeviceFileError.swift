/// A member of a device file has a value that means nothing.
public struct SimulatedDeviceFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The member's name.
    public let member: String
    /// The value it has.
    public let value: String

    /// One line that names both.
    public var description: String { "\(member) cannot be '\(value)'" }
}
