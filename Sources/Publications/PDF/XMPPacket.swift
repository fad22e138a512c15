import Markup

/// The properties of a metadata packet (ISO 16684-1, 7).
struct XMPPacket {
    /// A value, optionally with a language, and with fields if it is a structure.
    struct Value {
        var text = ""
        /// The language tag in lower case; `x-default` for the main one.
        var language: String?
        var fields: [String: [Value]] = [:]
    }

    /// The reason why a part of the packet could not be read, as one full sentence; nil if the packet is intact.
    private(set) var damage: String?
    /// Whether the packet declares entities, which are not expanded.
    private(set) var declaresEntities = false
    private var properties: [String: [Value]] = [:]

    private static let limits = MarkupLimits(bytes: 4 << 20, elements: 20_000, depth: 64)

    /// Reads all properties of all descriptions in the packet.
    init(_ bytes: [UInt8]) {
        let document: MarkupDocument
        do {
            document = try Self.mended(bytes).withUnsafeBytes { raw throws(MarkupError) in
                try MarkupReader(limits: Self.limits).read(raw)
            }
        } catch {
            damage = "The metadata packet cannot be read."
            return
        }
        declaresEntities = document.declaresEntities
        damage = document.fault.map { "The metadata packet is damaged: \($0.text)." }
        guard let container = document.root.firstAnywhere("RDF") else { return }
        for description in container.all("Description") {
            for (name, values) in Self.fields(of: description) where properties[name] == nil {
                properties[name] = values
            }
        }
    }

    /// Replaces invalid UTF-8. Packets are in UTF-8, UTF-16 or UTF-32, so bytes of none of these are damaged UTF-8
    /// rather than another encoding.
    private static func mended(_ bytes: [UInt8]) -> [UInt8] {
        let isWide =
            bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
            || bytes.prefix(4).contains(0)
        if isWide || String(validating: bytes, as: UTF8.self) != nil { return bytes }
        return Array(String(decoding: bytes, as: UTF8.self).utf8)
    }

    /// The values of a property; empty if it is missing.
    func values(_ name: String) -> [Value] { properties[name] ?? [] }

    /// The values of a property of any version of PRISM.
    func prism(_ name: String) -> [Value] {
        properties.filter { $0.key.hasPrefix(XMPNamespace.prism) && $0.key.hasSuffix("/" + name) }
            .min { $0.key < $1.key }?.value ?? []
    }

    /// The texts of a property.
    func texts(_ name: String) -> [String] { values(name).compactMap { $0.text.withoutControls() } }

    /// The text of a property: the one for all languages if there are several, or else the first.
    func text(_ name: String) -> String? { Self.main(values(name)) }

    /// The text for all languages, or else the first.
    static func main(_ values: [Value]) -> String? {
        let main = values.first { $0.language == "x-default" }.flatMap { $0.text.withoutControls() }
        return main ?? values.lazy.compactMap { $0.text.withoutControls() }.first
    }

    /// The properties in the attributes and elements of a description.
    private static func fields(of element: MarkupElement) -> [String: [Value]] {
        var fields: [String: [Value]] = [:]
        for attribute in element.attributes {
            guard let namespace = attribute.namespace, namespace != XMPNamespace.rdf,
                namespace != XMPNamespace.xml
            else { continue }
            fields[namespace + attribute.name] = [Value(text: attribute.value)]
        }
        for child in element.children {
            let name = (child.namespace ?? "") + child.name
            if fields[name] == nil { fields[name] = values(of: child) }
        }
        return fields
    }

    private static func values(of element: MarkupElement) -> [Value] {
        let array = element.children.first {
            $0.namespace == XMPNamespace.rdf && ["Alt", "Bag", "Seq"].contains($0.name)
        }
        return array.map { $0.all("li").map(value) } ?? [value(of: element)]
    }

    private static func value(of element: MarkupElement) -> Value {
        var value = Value(text: element["resource"] ?? element.text)
        value.language = element["lang"]?.lowercased()
        let inner =
            element.children.first { $0.namespace == XMPNamespace.rdf && $0.name == "Description" } ?? element
        value.fields = fields(of: inner)
        if let main = value.fields[XMPNamespace.rdf + "value"]?.first { value.text = main.text }
        if let main = inner["value"] { value.text = main }
        return value
    }
}

/// Namespaces of metadata packets. The name of a property is its namespace followed directly by its local name.
enum XMPNamespace {
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let xml = "http://www.w3.org/XML/1998/namespace"
    static let dc = "http://purl.org/dc/elements/1.1/"
    static let pdf = "http://ns.adobe.com/pdf/1.3/"
    static let pdfx = "http://ns.adobe.com/pdfx/1.3/"
    static let xmp = "http://ns.adobe.com/xap/1.0/"
    static let identifierQualifier = "http://ns.adobe.com/xmp/Identifier/qual/1.0/"
    static let rights = "http://ns.adobe.com/xap/1.0/rights/"
    /// The PRISM namespace. A version and a slash follow it.
    static let prism = "http://prismstandard.org/namespaces/basic/"
    static let calibre = "http://calibre-ebook.com/xmp-namespace"
    static let calibreSeries = "http://calibre-ebook.com/xmp-namespace-series-index"
}
