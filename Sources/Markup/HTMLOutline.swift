import CLibxml2
import Platform

/// The metadata at the beginning of an HTML or XHTML page, parsed with libxml2's parser for real-world HTML.
///
/// It fetches nothing, and supports only HTML's own entities.
package struct HTMLOutline: Hashable, Sendable {
    /// The text of the `title` element; nil if there is none.
    package private(set) var title: String?
    /// The language in the `html` element.
    package private(set) var language: String?
    /// The contents of `meta` elements by name in lower case. If a name is repeated, the first one counts.
    package private(set) var metas: [String: String] = [:]
    /// The addresses of the images in the page, in order, from `img`, SVG's `image`, and `object`.
    package private(set) var images: [String] = []

    /// The largest number of bytes of a page that are read.
    package static let mostBytes = 128 << 10
    /// The largest number of images that are collected.
    private static let mostImages = 64
    /// The largest number of bytes in the name of an entity. The longest name in HTML has 31.
    private static let longestEntity = 31

    /// Reads the first `mostBytes` of a page.
    ///
    /// - Parameter encoding: the encoding if it is known from elsewhere. If nil, it is the one that the page states,
    ///   or a guess.
    package init(_ page: UnsafeRawBufferPointer, encoding: String? = nil) {
        if let wide = MarkupEncoding.textOfWideCharacters(page) {
            self.init(text: wide)
            return
        }
        let body = UnsafeRawBufferPointer(
            rebasing: MarkupEncoding.withoutMark(page).prefix(HTMLOutline.mostBytes))
        if let name = encoding.flatMap({ MarkupEncoding.extendingASCII($0) })
            ?? MarkupEncoding.declared(in: body) ?? MarkupEncoding.declaredByPage(body),
            let text = MarkupEncoding.text(of: body, in: name)
        {
            self.init(text: text)
        } else if MarkupEncoding.isUTF8(body) {
            self.init(utf8: body)
        } else if case .damaged(let text) = MarkupEncoding.condition(of: body) {
            self.init(text: text)
        } else {
            self.init(text: Windows1252.text(body.bytes))
        }
    }

    private init(text: String) {
        var text = text
        self = text.withUTF8 { HTMLOutline(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// The character for an HTML entity; nil if HTML has no entity of this name. libxml2's own function for this is
    /// deprecated since 2.14.
    static func character(ofEntity name: String) -> Unicode.Scalar? {
        guard name.utf8.count <= longestEntity,
            let title = HTMLOutline(text: "<title>&\(name);</title>").title?.unicodeScalars, title.count == 1
        else { return nil }
        return title.first
    }

    /// Passes the bytes to libxml2 as UTF-8. Its own conversions stop at the first invalid byte and write to standard
    /// error.
    private init(utf8 text: UnsafeRawBufferPointer) {
        let part = UnsafeRawBufferPointer(rebasing: text.prefix(HTMLOutline.mostBytes))
        guard !MarkupScan.hasTag(withMoreThan: MarkupLimits.mostAttributes, attributesIn: part) else {
            return
        }
        let collector = HTMLCollector()
        _ = MarkupReader.initialised
        guard let count = Int32(exactly: part.count), let parser = htmlNewParserCtxt() else { return }
        defer {
            if let document = parser.pointee.myDoc { xmlFreeDoc(document) }
            htmlFreeParserCtxt(parser)
        }
        guard let sax = parser.pointee.sax else { return }
        collector.parser = parser
        sax.pointee = HTMLCollector.handler
        parser.pointee.userData = Unmanaged.passUnretained(collector).toOpaque()
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
        withExtendedLifetime(collector) {
            let document = htmlCtxtReadMemory(
                parser, part.baseAddress?.assumingMemoryBound(to: CChar.self), count, nil, "UTF-8",
                Int32(bitPattern: options))
            if let document { xmlFreeDoc(document) }
        }
        collector.parser = nil
        title = collector.title
        language = collector.language
        metas = collector.metas
        images = collector.images
    }

    /// Collects data from libxml2's events. Used by one parse on one thread.
    private final class HTMLCollector {
        var title: String?
        var language: String?
        var metas: [String: String] = [:]
        var images: [String] = []
        private var isInTitle = false
        private var faults = 0
        var parser: htmlParserCtxtPtr?

        private static func collector(_ context: UnsafeMutableRawPointer?) -> HTMLCollector? {
            context.map { Unmanaged<HTMLCollector>.fromOpaque($0).takeUnretainedValue() }
        }

        static var handler: xmlSAXHandler {
            var handler = xmlSAXHandler()
            handler.initialized = UInt32(XML_SAX2_MAGIC)
            handler.startElement = { context, name, attributes in
                guard let collector = HTMLCollector.collector(context), let name else { return }
                collector.begin(String(cString: name).lowercased(), attributes)
            }
            handler.endElement = { context, name in
                guard let collector = HTMLCollector.collector(context), let name else { return }
                if String(cString: name).lowercased() == "title" { collector.isInTitle = false }
            }
            handler.characters = { context, text, count in
                guard let collector = HTMLCollector.collector(context), collector.isInTitle, let text else {
                    return
                }
                collector.title? += String(
                    decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
            }
            handler.ignorableWhitespace = handler.characters
            handler.cdataBlock = handler.characters
            handler.serror = { context, _ in
                guard let collector = HTMLCollector.collector(context) else { return }
                collector.faults += 1
                if collector.faults > MarkupLimits.mostFaults, let parser = collector.parser {
                    xmlStopParser(parser)
                }
            }
            return handler
        }

        private func begin(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
            func value(_ names: String...) -> String? {
                guard var field = attributes else { return nil }
                while let key = field[0] {
                    if names.contains(String(cString: key).lowercased()) {
                        return field[1].map { String(cString: $0) }
                    }
                    field += 2
                }
                return nil
            }
            switch name {
            case "html": language = language ?? value("lang", "xml:lang")
            case "title":
                // A second title belongs to a drawing in the page.
                isInTitle = title == nil
                if isInTitle { title = "" }
            case "meta":
                if let key = value("name")?.lowercased(), metas[key] == nil, let content = value("content") {
                    metas[key] = content
                }
            case "img": note(value("src"))
            case "image", "svg:image": note(value("xlink:href", "href", "src"))
            case "object": note(value("data"))
            default: break
            }
        }

        private func note(_ address: String?) {
            guard let address, !address.isEmpty, images.count < HTMLOutline.mostImages else { return }
            images.append(address)
        }
    }
}
