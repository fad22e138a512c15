import CLibxml2
import Diagnostics

/// Reads a whole XML document into a tree, however sloppy it is: no network, no files, no entities but the five of XML
/// itself (and, by their names alone, those of HTML), and never more than the limits allow.
///
/// Of a document that is not well-formed as much is read as libxml2 can make sense of.
package struct MarkupReader: Sendable {
    private let limits: MarkupLimits

    package init(limits: MarkupLimits) {
        self.limits = limits
    }

    /// The document in `bytes`.
    ///
    /// Its encoding is that of its byte-order mark or declaration, else UTF-8, and Windows-1252 if it is not valid
    /// in that.
    ///
    /// - Throws: when there is no root element, or a limit on bytes or attributes is passed.
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
            return try read(utf8: MarkupEncoding.windows1252(body))
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

    /// Parses, and once more with bare ampersands mended if there are any.
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

    /// libxml2 prepares its tables once; two parsers that do so at the same moment wait for each other for ever.
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
        // NOENT makes `&amp;` in values a plain ampersand; our handler knows no other entities that it could put in place.
        // The bytes are UTF-8 by now and the declaration does not count: libxml2's own conversions stop at the first bad byte
        // and complain on standard error. Mistakes go to our handler alone; with NOERROR libxml2 2.13 tells it of none.
        let options =
            XML_PARSE_RECOVER.rawValue | XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue
            | XML_PARSE_IGNORE_ENC.rawValue
        withExtendedLifetime(builder) {
            // Our handler builds no libxml2 tree, so that there is no document to release.
            let document = xmlCtxtReadMemory(
                parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count, nil, "UTF-8",
                Int32(bitPattern: options))
            if let document { xmlFreeDoc(document) }
        }
        builder.parser = nil
    }
}

/// How much of an XML document is accepted; every document may be hostile.
package struct MarkupLimits: Hashable, Sendable {
    /// The largest document, in bytes.
    package var bytes: Int
    /// The largest number of elements.
    package var elements: Int
    /// The deepest nesting; the root is at depth 1. Values above `deepest` count as that.
    package var depth: Int

    /// A tree is released recursively, so an unlimited depth would be a way to exhaust the stack.
    package static let deepest = 256
    /// The largest number of attributes of one element: libxml2 compares each with all others.
    package static let mostAttributes = 256
    /// The largest number of namespaces declared around one place: each name is looked up among all of them.
    package static let mostNamespaces = 256
    /// The largest number of mistakes looked over in one document.
    package static let mostFaults = 1000

    package init(bytes: Int, elements: Int, depth: Int) {
        self.bytes = bytes
        self.elements = elements
        self.depth = depth
    }
}

/// Why nothing of an XML document could be read. `native` is libxml2's number.
package typealias MarkupError = Failure<MarkupErrorCode>

/// The kind of a `MarkupError`.
package struct MarkupErrorCode: FailureCode {
    /// Lower case words joined by `_`; never renamed.
    package let rawValue: String

    /// A code by its text; any text is a code.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The document has no root element.
    package static let malformed = Self(rawValue: "malformed")
    /// The document has more bytes, or one element more attributes, than are accepted.
    package static let tooLarge = Self(rawValue: "too_large")
}
