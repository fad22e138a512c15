import CLibxml2
import Diagnostics
import Platform

/// Reads a complete XML document into a tree, even if it is malformed. It uses no network and no files, expands no
/// entities except the five of XML (and those of HTML, by name), and enforces its limits.
///
/// If a document is not well-formed, it reads as much as libxml2 can interpret.
package struct MarkupReader: Sendable {
    private let limits: MarkupLimits

    package init(limits: MarkupLimits) {
        self.limits = limits
    }

    /// Parses the document in `bytes`.
    ///
    /// Its encoding is that of its byte-order mark or declaration, or else UTF-8. If the bytes are invalid in that
    /// encoding, Windows-1252 is used.
    ///
    /// - Throws: an error if there is no root element, or if a limit on bytes or attributes is exceeded.
    package func read(_ bytes: UnsafeRawBufferPointer) throws(MarkupError) -> MarkupDocument {
        guard bytes.count <= limits.bytes else {
            throw MarkupError(
                .tooLarge, "It has \(bytes.count) bytes; at most \(limits.bytes) are accepted.")
        }
        if let text = MarkupEncoding.textOfWideCharacters(bytes) {
            return try read(utf8: text)
        }
        let body = MarkupEncoding.withoutMark(bytes)
        if let declared = MarkupEncoding.declared(in: body),
            let text = MarkupEncoding.text(of: body, in: declared)
        {
            return try read(utf8: text)
        }
        guard !MarkupScan.hasTag(withMoreThan: MarkupLimits.mostAttributes, attributesIn: body) else {
            throw MarkupError(
                .tooLarge, "An element has more than \(MarkupLimits.mostAttributes) attributes.")
        }
        let builder = parse(body)
        guard builder.hasEncodingFault else { return try builder.document() }
        switch MarkupEncoding.condition(of: body) {
        case .sound:
            return try builder.document()
        case .damaged(let text):
            return try read(utf8: text)
        case .another:
            return try read(utf8: Windows1252.text(body.bytes))
        }
    }

    private func read(utf8 text: String) throws(MarkupError) -> MarkupDocument {
        var text = text
        let result: Result<MarkupDocument, MarkupError> = text.withUTF8 { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            guard !MarkupScan.hasTag(withMoreThan: MarkupLimits.mostAttributes, attributesIn: raw) else {
                return .failure(
                    MarkupError(
                        .tooLarge, "An element has more than \(MarkupLimits.mostAttributes) attributes."))
            }
            return Result { () throws(MarkupError) in
                try parse(raw).document()
            }
        }
        return try result.get()
    }

    /// Parses the document. If it has bare ampersands, escapes them and parses it again.
    private func parse(_ bytes: UnsafeRawBufferPointer) -> MarkupTreeBuilder {
        let builder = MarkupTreeBuilder(limits: limits)
        parse(bytes, into: builder)
        guard builder.hasBareAmpersand else { return builder }
        let second = MarkupTreeBuilder(limits: limits, fault: builder.fault)
        MarkupScan.withoutBareAmpersands(bytes).withUnsafeBytes {
            parse($0, into: second)
        }
        return second
    }

    /// libxml2 initializes its tables once. Two parsers that do so at the same moment would deadlock.
    static let initialised: Void = xmlInitParser()

    private func parse(_ bytes: UnsafeRawBufferPointer, into builder: MarkupTreeBuilder) {
        _ = MarkupReader.initialised
        guard let count = Int32(exactly: bytes.count), let parser = xmlNewParserCtxt() else { return }
        defer {
            if let document = parser.pointee.myDoc { xmlFreeDoc(document) }
            xmlFreeParserCtxt(parser)
        }
        guard let sax = parser.pointee.sax else { return }
        builder.parser = parser
        sax.pointee = MarkupTreeBuilder.handler
        parser.pointee.userData = Unmanaged.passUnretained(builder).toOpaque()
        // NOENT converts `&amp;` in values to a plain ampersand; our handler knows no other entities to substitute.
        // The bytes are already UTF-8 and the declaration is ignored, because libxml2's own conversions stop at the
        // first invalid byte and write to standard error. Errors go only to our handler; with NOERROR, libxml2 2.13
        // does not report them to it.
        let options =
            XML_PARSE_RECOVER.rawValue | XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue
            | XML_PARSE_IGNORE_ENC.rawValue
        withExtendedLifetime(builder) {
            // Our handler does not build a libxml2 tree, so there is no document to release.
            let document = xmlCtxtReadMemory(
                parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count, nil, "UTF-8",
                Int32(bitPattern: options))
            if let document { xmlFreeDoc(document) }
        }
        builder.parser = nil
    }
}

/// The limits for XML documents. Every document may be hostile.
package struct MarkupLimits: Hashable, Sendable {
    /// The largest document, in bytes.
    package var bytes: Int
    /// The largest number of elements.
    package var elements: Int
    /// The deepest nesting; the root is at depth 1. Values above `deepest` are reduced to it.
    package var depth: Int

    /// The largest possible `depth`. A tree is released recursively, so unlimited depth could exhaust the stack.
    package static let deepest = 256
    /// The largest number of attributes of one element, because libxml2 compares each with all others.
    package static let mostAttributes = 256
    /// The largest number of namespaces in scope at one position, because each name is looked up among all of them.
    package static let mostNamespaces = 256
    /// The largest number of errors that are ignored in one document.
    package static let mostFaults = 1000

    package init(bytes: Int, elements: Int, depth: Int) {
        self.bytes = bytes
        self.elements = elements
        self.depth = depth
    }
}

/// The reason why an XML document could not be read at all. `native` is libxml2's error number.
package typealias MarkupError = Failure<MarkupErrorCode>

/// The kind of a `MarkupError`.
package struct MarkupErrorCode: FailureCode {
    /// The text of the code: lower case words joined by `_`. Codes are never renamed.
    package let rawValue: String

    /// Creates a code from its text; any text is valid.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The document has no root element.
    package static let malformed = Self(rawValue: "malformed")
    /// The document has more bytes, or one of its elements more attributes, than the limit.
    package static let tooLarge = Self(rawValue: "too_large")
}
