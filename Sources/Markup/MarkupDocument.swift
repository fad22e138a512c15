/// A parsed XML document, and what was wrong with it.
package struct MarkupDocument: Sendable {
    /// What libxml2 or a limit complained about first.
    package struct Fault: Hashable, Sendable {
        /// libxml2's number; 0 for one of our limits.
        package var code: Int32
        /// The line, from 1; 0 when it is not known.
        package var line: Int
        /// The complaint, without a full stop.
        package var message: String

        /// `line 3: complaint`.
        package var text: String { line > 0 ? "line \(line): \(message)" : message }
    }

    /// The root element; of a damaged document as much of it as could be read.
    package var root: MarkupElement
    /// The first thing that made the document less than well-formed; nil for a sound one.
    package var fault: Fault?
    /// True when the document declares entities of its own, which are never expanded.
    package var declaresEntities: Bool
}
