/// Fills an outline while walking over a document.
final class OutlineReader {
    /// What is known so far; changed only by whole members and items, so that it is sound whenever a piece is asked for.
    var outline = JSONOutline()
    private var lastType: (text: String, type: MediaType?)?
    private let give: (JSONOutline) -> [UInt8]?

    init(_ give: @escaping (JSONOutline) -> [UInt8]?) { self.give = give }

    /// Reads the whole document.
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
        case .readingOrder: try order(&walker, \.readingOrder)
        case .spine: try order(&walker, \.spine)
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

    /// Whether the value is a text that is not empty, or an object of texts that is not empty.
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
            if link.relations.contains("self"), let type = link.type { outline.selfTypes.insert(type) }
            if link.relations.contains(where: {
                $0.utf8.starts(with: "http://opds-spec.org/acquisition".utf8)
            }) {
                outline.hasAcquisitionLink = true
            }
        }
        outline.knowsLinks = true
    }

    private func order(
        _ walker: inout JSONWalker, _ member: WritableKeyPath<JSONOutline, JSONOutline.ReadingOrder?>
    ) throws(JSONWalker.Stop) {
        outline[keyPath: member] = nil
        guard try walker.valueStart() == UInt8(ascii: "[") else { return try walker.skipValue() }
        var order = JSONOutline.ReadingOrder()
        outline[keyPath: member] = order
        try eachLink(&walker) { link in
            order.add(link.type)
            outline[keyPath: member] = order
        }
        order.isComplete = true
        outline[keyPath: member] = order
    }

    // MARK: links

    private struct Link {
        var hasHref = false
        var type: MediaType?
        var relations: [String] = []
    }

    /// Gives each object of an array that has an address; a value that is no array holds none.
    private func eachLink(_ walker: inout JSONWalker, _ give: (Link) -> Void) throws(JSONWalker.Stop) {
        guard try walker.valueStart() == UInt8(ascii: "[") else { return try walker.skipValue() }
        try walker.array { (walker) throws(JSONWalker.Stop) in
            guard try walker.valueStart() == UInt8(ascii: "{") else { return try walker.skipValue() }
            var link = Link()
            try walker.object { (walker, name) throws(JSONWalker.Stop) in
                switch name {
                case .href: link.hasHref = try text(&walker) != nil
                case .type: link.type = try text(&walker).flatMap(mediaType)
                case .rel: link.relations = try texts(&walker)
                default: try walker.skipValue()
                }
            }
            if link.hasHref { give(link) }
        }
    }

    /// The media type of a link. Neighbours mostly have the same, which is parsed once.
    private func mediaType(_ text: String) -> MediaType? {
        if let lastType, lastType.text == text { return lastType.type }
        let type = MediaType(text)
        lastType = (text, type)
        return type
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
