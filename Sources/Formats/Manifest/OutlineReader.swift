import Glibc

/// Fills an outline while walking through a document.
final class OutlineReader {
    /// The outline so far. It changes only after complete members and items, so it is valid whenever a piece is
    /// requested.
    var outline = JSONOutline()
    private var lastType = LinkType()
    private let give: (JSONOutline) -> [UInt8]?

    init(_ give: @escaping (JSONOutline) -> [UInt8]?) { self.give = give }

    /// Reads the complete document.
    func readDocument() throws(JSONWalker.Stop) {
        var walker = JSONWalker { [unowned self] in give(outline) }
        try walker.skipMark()
        switch try walker.valueStart() {
        case UInt8(ascii: "{"):
            outline.isObject = true
            try walker.object { (walker, name) throws(JSONWalker.Stop) in try member(name, &walker) }
        case UInt8(ascii: "["): try walker.skipValue()
        default: throw .malformed
        }
        try walker.finish()
    }

    /// Reads one member of the root.
    private func member(_ name: JSONName, _ walker: inout JSONWalker) throws(JSONWalker.Stop) {
        switch name {
        case .metadata: try metadata(&walker)
        case .links: try links(&walker)
        case .readingOrder: try order(&walker) { $0.readingOrder = $1 }
        case .spine: try order(&walker) { $0.spine = $1 }
        case .context: outline.contexts = try texts(&walker)
        default:
            try walker.skipValue()
            note(name)
        }
    }

    private func note(_ name: JSONName) {
        switch name {
        case .id: outline.rootNames.insert(.id)
        case .issued: outline.rootNames.insert(.issued)
        case .provider: outline.rootNames.insert(.provider)
        case .encryption: outline.rootNames.insert(.encryption)
        case .title: outline.rootNames.insert(.title)
        case .authentication: outline.rootNames.insert(.authentication)
        default: break
        }
    }

    private func metadata(_ walker: inout JSONWalker) throws(JSONWalker.Stop) {
        var hasTitle = false
        var type: String?
        if try walker.valueStart() == UInt8(ascii: "{") {
            try walker.object { (walker, name) throws(JSONWalker.Stop) in
                switch name {
                case .title: hasTitle = try title(&walker)
                case .linkedType: type = try text(&walker)
                default: try walker.skipValue()
                }
            }
        } else {
            try walker.skipValue()
        }
        outline.hasTitle = hasTitle
        outline.type = type
    }

    /// Whether the value is a non-empty text, or a non-empty object of texts.
    private func title(_ walker: inout JSONWalker) throws(JSONWalker.Stop) -> Bool {
        switch try walker.valueStart() {
        case UInt8(ascii: "\""): return try !walker.string().isEmpty
        case UInt8(ascii: "{"):
            var count = 0
            var areTexts = true
            try walker.object { (walker, _) throws(JSONWalker.Stop) in
                count += 1
                areTexts = try text(&walker) != nil && areTexts
            }
            return count > 0 && areTexts
        default:
            try walker.skipValue()
            return false
        }
    }

    private func links(_ walker: inout JSONWalker) throws(JSONWalker.Stop) {
        outline.selfTypes = []
        outline.hasAcquisitionLink = false
        outline.knowsLinks = false
        try eachLink(&walker) { link in
            if link.isSelf, let type = link.type.mediaType { outline.selfTypes.insert(type) }
            if link.isAcquisition { outline.hasAcquisitionLink = true }
        }
        outline.knowsLinks = true
    }

    private func order(
        _ walker: inout JSONWalker, _ put: (inout JSONOutline, JSONOutline.ReadingOrder?) -> Void
    ) throws(JSONWalker.Stop) {
        put(&outline, nil)
        guard try walker.valueStart() == UInt8(ascii: "[") else { return try walker.skipValue() }
        var order = JSONOutline.ReadingOrder()
        put(&outline, order)
        try eachLink(&walker) { link in
            order.add(
                isBitmap: link.type.isBitmap, isPdf: link.type.isPdf, isAudio: link.type.isAudio)
            put(&outline, order)
        }
        order.isComplete = true
        put(&outline, order)
    }

    // MARK: links

    /// The type of a link and its properties that the rules use.
    private struct LinkType {
        var text: [UInt8] = []
        var mediaType: MediaType?
        var isBitmap = false
        var isPdf = false
        var isAudio = false
    }

    private struct Link {
        var hasHref = false
        var type = LinkType()
        var isSelf = false
        var isAcquisition = false

        /// Adds a relation.
        mutating func add(relation: UnsafeBufferPointer<UInt8>) {
            if Self.begins(relation, "self"), relation.count == 4 { isSelf = true }
            if Self.begins(relation, "http://opds-spec.org/acquisition") { isAcquisition = true }
        }

        private static func begins(_ text: UnsafeBufferPointer<UInt8>, _ beginning: StaticString) -> Bool {
            guard let start = text.baseAddress, text.count >= beginning.utf8CodeUnitCount else {
                return false
            }
            return memcmp(start, beginning.utf8Start, beginning.utf8CodeUnitCount) == 0
        }
    }

    /// Calls `give` for each object in an array that has an `href`. Skips a value that is not an array.
    private func eachLink(_ walker: inout JSONWalker, _ give: (Link) -> Void) throws(JSONWalker.Stop) {
        guard try walker.valueStart() == UInt8(ascii: "[") else { return try walker.skipValue() }
        try walker.array { (walker) throws(JSONWalker.Stop) in
            guard try walker.valueStart() == UInt8(ascii: "{") else { return try walker.skipValue() }
            var link = Link()
            try walker.object { (walker, name) throws(JSONWalker.Stop) in
                switch name {
                case .href:
                    link.hasHref = try walker.valueStart() == UInt8(ascii: "\"")
                    try walker.skipValue()
                case .type: link.type = try linkType(&walker)
                case .rel: try relations(&walker, of: &link)
                default: try walker.skipValue()
                }
            }
            if link.hasHref { give(link) }
        }
    }

    /// The type of a link; none for a value that is not a text. Neighboring links usually have the same type, which
    /// is parsed only once.
    private func linkType(_ walker: inout JSONWalker) throws(JSONWalker.Stop) -> LinkType {
        guard try walker.valueStart() == UInt8(ascii: "\"") else {
            try walker.skipValue()
            return LinkType()
        }
        let bytes = try walker.textBytes()
        if lastType.text.elementsEqual(bytes), !bytes.isEmpty { return lastType }
        let type = MediaType(String(decoding: bytes, as: UTF8.self))
        lastType = LinkType(
            text: Array(bytes), mediaType: type, isBitmap: type?.isBitmap == true,
            isPdf: type.map(MediaType.pdf.contains) == true, isAudio: type?.isAudio == true)
        return lastType
    }

    /// The relations of a link: one text, or the texts of an array. If the name is repeated, the last value counts.
    private func relations(_ walker: inout JSONWalker, of link: inout Link) throws(JSONWalker.Stop) {
        link.isSelf = false
        link.isAcquisition = false
        switch try walker.valueStart() {
        case UInt8(ascii: "\""): link.add(relation: try walker.textBytes())
        case UInt8(ascii: "["):
            try walker.array { (walker) throws(JSONWalker.Stop) in
                guard try walker.valueStart() == UInt8(ascii: "\"") else { return try walker.skipValue() }
                link.add(relation: try walker.textBytes())
            }
        default: try walker.skipValue()
        }
    }

    /// A text; nil for any other value, which is skipped.
    private func text(_ walker: inout JSONWalker) throws(JSONWalker.Stop) -> String? {
        guard try walker.valueStart() == UInt8(ascii: "\"") else {
            try walker.skipValue()
            return nil
        }
        return try walker.string()
    }

    /// One text, or the texts of an array.
    private func texts(_ walker: inout JSONWalker) throws(JSONWalker.Stop) -> [String] {
        guard try walker.valueStart() == UInt8(ascii: "[") else {
            return try text(&walker).map { [$0] } ?? []
        }
        var texts: [String] = []
        try walker.array { (walker) throws(JSONWalker.Stop) in
            if let text = try text(&walker) { texts.append(text) }
        }
        return texts
    }
}
