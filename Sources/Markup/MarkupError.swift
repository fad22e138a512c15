/// Why nothing of an XML document could be read.
package struct MarkupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable {
        /// There is no root element.
        case malformed
        /// The document has more bytes, or one element more attributes, than are accepted.
        case tooLarge
    }

    /// The kind of failure.
    package let code: Code
    /// One sentence for a person.
    package let message: String
    /// libxml2's number, or nil when the failure was found by other means.
    package let nativeCode: Int32?

    init(_ code: Code, _ message: String, nativeCode: Int32? = nil) {
        self.code = code
        self.message = message
        self.nativeCode = nativeCode
    }

    package var description: String { message }
}
