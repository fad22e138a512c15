import Diagnostics
import CLibxml2

/// Reads a complete XML file into a tree, within limits. Does not use the network, document types, or entities other
/// than the five predefined ones.
///
/// In addition to well-formed XML, accepts the errors that `CommandFileRepair` repairs: a missing byte-order mark,
/// NUL bytes at the end, a damaged prolog, and the typing errors that apps may have copied from the protocol's
/// published description.
package struct CommandFileReader {
    private let limits: CommandFileLimits
    private let subject: String

    /// - Parameter subject: the name for errors, usually that of the file.
    package init(limits: CommandFileLimits, subject: String) {
        self.limits = limits
        self.subject = subject
    }

    /// Returns the root element.
    ///
    /// - Throws: `.incomplete` if the file is empty or its root element does not end. This differs from `.malformed`,
    ///   because the other side may still be writing.
    package func read(_ bytes: [UInt8]) throws(CommandReadError) -> CommandFileElement {
        guard bytes.count <= limits.bytes else {
            throw CommandReadError(
                .tooLarge, "The file has \(bytes.count) bytes; at most \(limits.bytes) are accepted.",
                subject: subject)
        }
        var source = CommandFileRepair(bytes)
        if source.isEmpty {
            throw CommandReadError(
                .incomplete, "The file is empty.", subject: subject, isRetryable: true)
        }
        if source.declaresDocumentType {
            throw CommandReadError(
                .documentType, "The file declares a document type, which the protocol does not allow.",
                subject: subject)
        }
        guard !Self.hasTag(withMoreThan: CommandFileLimits.mostAttributes, attributesIn: source.bytes) else {
            throw CommandReadError(
                .tooLarge, "An element has more than \(CommandFileLimits.mostAttributes) attributes.",
                subject: subject)
        }
        do {
            return try parse(source.bytes)
        } catch {
            guard error.code == .malformed else { throw error }
            if source.repairTypingErrors() {
                do {
                    return try parse(source.bytes)
                } catch let second {
                    guard second.code == .malformed else { throw second }
                }
            }
            throw source.isCutOff
                ? CommandReadError(
                    .incomplete, "The file ends before its root element is closed.", subject: subject,
                    isRetryable: true, native: error.native)
                : error
        }
    }

    /// The first error of libxml2. Its callback gets a pointer to this, which exists until parsing ends.
    private struct Fault {
        var code: Int32 = 0
        var line: Int32 = 0
        var message = ""
    }

    private static let initialised: Void = xmlInitParser()

    private func parse(_ bytes: [UInt8]) throws(CommandReadError) -> CommandFileElement {
        _ = CommandFileReader.initialised
        var fault = Fault()
        let result: Result<CommandFileElement, CommandReadError>? = bytes.withUnsafeBytes { raw in
            withUnsafeMutablePointer(to: &fault) { faultPointer in
                parse(raw, reportingTo: faultPointer)
            }
        }
        if let result {
            return try result.get()
        }
        let place = fault.line > 0 ? "line \(fault.line): " : ""
        let reason = fault.message.isEmpty ? "not well-formed XML" : fault.message
        throw CommandReadError(
            .malformed, "Cannot read the file: \(place)\(reason).", subject: subject,
            libxml2: fault.code)
    }

    /// Parses the file; nil if libxml2 refused it for the reason in `fault`.
    private func parse(
        _ raw: UnsafeRawBufferPointer, reportingTo fault: UnsafeMutablePointer<Fault>
    ) -> Result<CommandFileElement, CommandReadError>? {
        // HUGE removes libxml2's limit of 10 MB for a text, which a cover may exceed; our own limits apply instead.
        // Errors are only passed to our handler; with NOERROR, libxml2 2.13 would not call it.
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue
        guard
            let reader = xmlReaderForMemory(
                raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count), nil, "UTF-8",
                Int32(bitPattern: options))
        else { return nil }
        defer { xmlFreeTextReader(reader) }
        xmlTextReaderSetStructuredErrorHandler(
            reader,
            { context, error in
                guard let context, let error, error.pointee.level == XML_ERR_FATAL else { return }
                let fault = context.assumingMemoryBound(to: Fault.self)
                guard fault.pointee.code == 0 else { return }
                fault.pointee.code = error.pointee.code
                fault.pointee.line = error.pointee.line
                if let message = error.pointee.message {
                    fault.pointee.message = String(cString: message).trimmingXMLSpace()
                }
            }, fault)
        return build(reader)
    }

    private func build(_ reader: xmlTextReaderPtr) -> Result<CommandFileElement, CommandReadError>? {
        var open: [CommandFileElement] = []
        var root: CommandFileElement?
        var count = 0
        let depth = min(limits.depth, CommandFileLimits.deepest)
        while true {
            let step = xmlTextReaderRead(reader)
            if step == 0 { break }
            guard step == 1 else { return nil }
            switch UInt32(bitPattern: xmlTextReaderNodeType(reader)) {
            case XML_READER_TYPE_ELEMENT.rawValue:
                count += 1
                guard count <= limits.elements else {
                    return .failure(
                        CommandReadError(
                            .tooLarge, "The file has more than \(limits.elements) elements.", subject: subject
                        ))
                }
                guard open.count < depth else {
                    return .failure(
                        CommandReadError(
                            .tooDeep, "Elements are nested deeper than \(depth).", subject: subject))
                }
                let isEmpty = xmlTextReaderIsEmptyElement(reader) == 1
                open.append(element(at: reader))
                if isEmpty { close(&open, into: &root) }
            case XML_READER_TYPE_END_ELEMENT.rawValue:
                close(&open, into: &root)
            case XML_READER_TYPE_TEXT.rawValue, XML_READER_TYPE_CDATA.rawValue,
                XML_READER_TYPE_SIGNIFICANT_WHITESPACE.rawValue, XML_READER_TYPE_WHITESPACE.rawValue:
                if !open.isEmpty, let value = xmlTextReaderConstValue(reader) {
                    open[open.count - 1].text += String(cString: value)
                }
            case XML_READER_TYPE_DOCUMENT_TYPE.rawValue, XML_READER_TYPE_ENTITY_REFERENCE.rawValue:
                return .failure(
                    CommandReadError(.documentType, "The file uses declared entities.", subject: subject))
            default:
                break
            }
        }
        return root.map { .success($0) }
    }

    private func element(at reader: xmlTextReaderPtr) -> CommandFileElement {
        var element = CommandFileElement(localName(at: reader))
        while xmlTextReaderMoveToNextAttribute(reader) == 1 {
            if xmlTextReaderIsNamespaceDecl(reader) == 1 { continue }
            let name = localName(at: reader)
            guard element.attributes[name] == nil else { continue }
            element.attributes[name] = xmlTextReaderConstValue(reader).map { String(cString: $0) } ?? ""
        }
        return element
    }

    /// The name without its prefix. libxml2 keeps an undeclared prefix in the name, so remove everything up to the
    /// last colon.
    private func localName(at reader: xmlTextReaderPtr) -> String {
        guard let name = xmlTextReaderConstLocalName(reader) else { return "" }
        let text = String(cString: name)
        guard let colon = text.lastIndex(of: ":") else { return text }
        return String(text[text.index(after: colon)...])
    }

    private func close(_ open: inout [CommandFileElement], into root: inout CommandFileElement?) {
        guard let finished = open.popLast() else { return }
        if open.isEmpty {
            root = root ?? finished
        } else {
            open[open.count - 1].children.append(finished)
        }
    }
}

extension CommandFileReader {
    /// Whether a tag has more than `most` attributes. Checked before parsing, because libxml2 compares each attribute
    /// with all others.
    ///
    /// Counts the `=` outside of quotes in a tag. The count may be wrong for malformed XML, but the parser then stops
    /// at the same place.
    static func hasTag(withMoreThan most: Int, attributesIn bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var index = 0
            while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
                index = start + 1
                let rest = bytes[start...]
                let skipped: [(begin: StaticString, end: StaticString)] = [
                    ("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"),
                ]
                if let (begin, end) = skipped.first(where: { begins(rest, with: $0.begin) }) {
                    index = start + begin.utf8CodeUnitCount
                    while index < bytes.count, !begins(bytes[index...], with: end) { index += 1 }
                    continue
                }
                var quote: UInt8?
                var count = 0
                while index < bytes.count {
                    let byte = bytes[index]
                    index += 1
                    if let open = quote {
                        if byte == open { quote = nil }
                    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                        quote = byte
                    } else if byte == UInt8(ascii: "=") {
                        count += 1
                        if count > most { return true }
                    } else if byte == UInt8(ascii: ">") {
                        break
                    }
                }
            }
            return false
        }
    }

    private static func begins(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes.starts(with: $0) }
    }
}
