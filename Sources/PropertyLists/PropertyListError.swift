/// Why bytes are no property list, or a property list cannot be written.
package struct PropertyListError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure. Others may come.
    package struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the kind.
        package let rawValue: String
        /// A kind by its name.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are no property list, or a damaged one.
        package static let malformed = Code(rawValue: "malformed")
        /// The list exceeds a limit.
        package static let tooLarge = Code(rawValue: "too-large")
        /// The list holds something that this module does not read, or that its form cannot hold.
        package static let unsupported = Code(rawValue: "unsupported")
    }

    /// The kind of failure.
    package let code: Code
    /// One sentence for a person.
    package let message: String

    /// An error of the given kind.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    package var description: String { message }
}
