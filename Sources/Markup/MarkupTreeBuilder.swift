import CLibxml2
import Diagnostics

/// Builds the tree from libxml2's events. Used by one parse on one thread.
final class MarkupTreeBuilder {
    private let limits: MarkupLimits
    private let depth: Int
    private var open: [MarkupElement] = []
    /// The number of open elements below the deepest accepted level. They are left out.
    private var skipped = 0
    private var elements = 0
    private var faults = 0
    /// The number of namespaces that each open element declares.
    private var declarations: [Int] = []
    private var declared = 0
    private var namespaces: [(pointer: UnsafePointer<xmlChar>, text: String)] = []

    private(set) var root: MarkupElement?
    private(set) var hasEncodingFault = false
    /// Whether there was an ampersand that does not begin a reference.
    private(set) var hasBareAmpersand = false
    private(set) var fault: MarkupDocument.Fault?
    private var declaresEntities = false
    /// The parser, set while libxml2 parses, so that a handler can stop it.
    var parser: xmlParserCtxtPtr?

    /// - Parameter fault: a fault that an earlier parse of the same document found.
    init(limits: MarkupLimits, fault: MarkupDocument.Fault? = nil) {
        self.limits = limits
        self.fault = fault
        depth = min(limits.depth, MarkupLimits.deepest)
    }

    /// The document that was built. Closes elements that are still open.
    func document() throws(MarkupError) -> MarkupDocument {
        while !open.isEmpty { close() }
        guard let root else {
            throw MarkupError(
                .malformed, "There is no root element\(fault.map { ": " + $0.text } ?? "").",
                native: fault.map { NativeCode(NativeCode.Domain(rawValue: "libxml2"), Int64($0.code)) })
        }
        return MarkupDocument(root: root, fault: fault, declaresEntities: declaresEntities)
    }

    private func stop(_ message: String) {
        if fault == nil { fault = MarkupDocument.Fault(code: 0, line: 0, message: message) }
        if let parser { xmlStopParser(parser) }
    }

    private func close() {
        guard let finished = open.popLast() else { return }
        if open.isEmpty {
            root = root ?? finished
        } else {
            open[open.count - 1].children.append(finished)
        }
    }

    private func text(ofNamespace pointer: UnsafePointer<xmlChar>?) -> String? {
        guard let pointer else { return nil }
        // The parser stores each URI once, so the pointer identifies it.
        if let known = namespaces.first(where: { $0.pointer == pointer }) { return known.text }
        let text = String(cString: pointer)
        if namespaces.count < MarkupLimits.mostNamespaces { namespaces.append((pointer, text)) }
        return text
    }

    private func append(_ text: UnsafePointer<xmlChar>?, count: Int) {
        guard skipped == 0, !open.isEmpty, count > 0, let text else { return }
        open[open.count - 1].text += String(
            decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    private func begin(
        _ name: UnsafePointer<xmlChar>?, namespace: UnsafePointer<xmlChar>?, declaring: Int
    ) -> MarkupElement? {
        elements += 1
        guard elements <= limits.elements else {
            stop("more than \(limits.elements) elements")
            return nil
        }
        declarations.append(declaring)
        declared += declaring
        guard declared <= MarkupLimits.mostNamespaces else {
            stop("more than \(MarkupLimits.mostNamespaces) namespaces around one element")
            return nil
        }
        guard open.count < depth, skipped == 0 else {
            if fault == nil {
                fault = MarkupDocument.Fault(code: 0, line: 0, message: "nested deeper than \(depth)")
            }
            skipped += 1
            return nil
        }
        return MarkupElement(
            name.map { String(cString: $0) } ?? "", namespace: text(ofNamespace: namespace))
    }

    private func end() {
        if let count = declarations.popLast() { declared -= count }
        if skipped > 0 { skipped -= 1 } else { close() }
    }

    private func note(_ error: xmlError) {
        faults += 1
        if faults > MarkupLimits.mostFaults { return stop("more than \(MarkupLimits.mostFaults) mistakes") }
        let code = xmlParserErrors(rawValue: UInt32(bitPattern: error.code))
        if code == XML_ERR_INVALID_ENCODING || code == XML_ERR_INVALID_CHAR
            || code == XML_I18N_CONV_FAILED || code == XML_ERR_UNKNOWN_ENCODING
            || code == XML_ERR_UNSUPPORTED_ENCODING
        {
            hasEncodingFault = true
        }
        if code == XML_ERR_NAME_REQUIRED || code == XML_ERR_ENTITYREF_SEMICOL_MISSING {
            hasBareAmpersand = true
        }
        if code == XML_ERR_UNDECLARED_ENTITY, skipped == 0, !open.isEmpty, let name = error.str1,
            let character = HTMLOutline.character(ofEntity: String(cString: name))
        {
            // XML documents often use HTML's entities without declaring them. One in an attribute's value is added to
            // the enclosing element's text instead, which is harmless.
            open[open.count - 1].text.unicodeScalars.append(character)
        }
        guard fault == nil, error.level == XML_ERR_FATAL else { return }
        var message = error.message.map { String(cString: $0) } ?? "not well-formed"
        while let last = message.last, last.isWhitespace { message.removeLast() }
        fault = MarkupDocument.Fault(code: error.code, line: Int(error.line), message: message)
    }
}

// The functions that libxml2 calls. Each handler receives the builder, which outlives the parse.
extension MarkupTreeBuilder {
    private static func builder(_ context: UnsafeMutableRawPointer?) -> MarkupTreeBuilder? {
        context.map { Unmanaged<MarkupTreeBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The handlers of one parse. libxml2's own `entityDecl` and `getEntity` are not installed, so entities can never
    /// be expanded.
    static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { context, name, _, namespace, declaring, _, count, _, attributes in
            guard let builder = MarkupTreeBuilder.builder(context),
                var element = builder.begin(name, namespace: namespace, declaring: Int(declaring))
            else { return }
            if count > 0, let attributes {
                element.attributes.reserveCapacity(Int(count))
                for index in 0..<Int(count) {
                    let fields = attributes + index * 5
                    guard let name = fields[0], let start = fields[3], let end = fields[4], end >= start
                    else { continue }
                    let value = UnsafeBufferPointer(start: start, count: end - start)
                    element.attributes.append(
                        MarkupAttributes.Attribute(
                            name: String(cString: name), namespace: builder.text(ofNamespace: fields[2]),
                            value: String(decoding: value, as: UTF8.self)))
                }
            }
            builder.open.append(element)
        }
        handler.endElementNs = { context, _, _, _ in
            MarkupTreeBuilder.builder(context)?.end()
        }
        handler.characters = { context, text, count in
            MarkupTreeBuilder.builder(context)?.append(text, count: Int(count))
        }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = handler.characters
        handler.entityDecl = { context, _, _, _, _, _ in
            MarkupTreeBuilder.builder(context)?.declaresEntities = true
        }
        handler.getEntity = { _, name in xmlGetPredefinedEntity(name) }
        handler.serror = { context, error in
            guard let error else { return }
            MarkupTreeBuilder.builder(context)?.note(error.pointee)
        }
        return handler
    }
}
