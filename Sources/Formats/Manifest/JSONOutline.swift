/// The facts about a JSON document that the sniffing rules need, collected without creating the document's values.
///
/// The document is parsed strictly by RFC 8259, up to 256 levels deep. Of repeated names the last one counts, as in
/// the JSON module.
///
/// ```swift
/// let type = MediaType("application/x-scores") ?? .json
/// let scores = Format(mediaType: type, name: "Scores", fileExtension: "scores")
/// Format.defaultSniffers.append { context, inspectingContent in
///     guard inspectingContent, let outline = context.jsonOutline else { return nil }
///     return outline.isRwpm && outline.type == "https://example.com/Scores" ? scores : nil
/// }
/// ```
public struct JSONOutline: Sendable, Equatable {
    /// Whether the root is an object; otherwise it is an array.
    public internal(set) var isObject = false
    /// Whether the document was read to its end. If not, the part that was read was sufficient to determine the
    /// format.
    public internal(set) var isComplete = false
    /// Whether `metadata` has a title: a non-empty text, or texts by language.
    public internal(set) var hasTitle = false
    /// The value of `metadata.@type`, if it is a text.
    public internal(set) var type: String?
    /// The media types of the top-level links with the relation `self`.
    public internal(set) var selfTypes: Set<MediaType> = []
    /// Whether a top-level link has a relation that begins with `http://opds-spec.org/acquisition`.
    public internal(set) var hasAcquisitionLink = false
    /// The texts of the root's `@context`, or its single text.
    public internal(set) var contexts: [String] = []
    /// The names used by the rules that the root has.
    var rootNames: RootNames = []
    /// Whether the top-level `links` were read to their end.
    var knowsLinks = false
    /// The properties of `readingOrder`.
    var readingOrder: ReadingOrder?
    /// The properties of `spine`, the older name of the reading order.
    var spine: ReadingOrder?

    /// Names of the root's members.
    struct RootNames: OptionSet {
        let rawValue: UInt8
        static let id = RootNames(rawValue: 1)
        static let issued = RootNames(rawValue: 2)
        static let provider = RootNames(rawValue: 4)
        static let encryption = RootNames(rawValue: 8)
        static let title = RootNames(rawValue: 16)
        static let authentication = RootNames(rawValue: 32)
        static let license: RootNames = [.id, .issued, .provider, .encryption]
        static let authenticationDocument: RootNames = [.id, .title, .authentication]
    }

    /// The common properties of the links in a reading order.
    struct ReadingOrder: Equatable {
        var count = 0
        var holdsOnlyBitmaps = true
        var holdsOnlyPdf = true
        var holdsOnlyAudio = true
        var isComplete = false

        /// Adds the type of one more link.
        mutating func add(isBitmap: Bool, isPdf: Bool, isAudio: Bool) {
            count += 1
            holdsOnlyBitmaps = holdsOnlyBitmaps && isBitmap
            holdsOnlyPdf = holdsOnlyPdf && isPdf
            holdsOnlyAudio = holdsOnlyAudio && isAudio
        }
    }

    init() {}

    /// Whether the document is a Readium Web Publication Manifest, by the minimum requirements of section 7.
    public var isRwpm: Bool { isObject && hasTitle }

    /// Whether it is the manifest of an audiobook.
    public var isAudiobook: Bool { isRwpm && type == "http://schema.org/Audiobook" }

    /// Whether it is a manifest whose reading order has only bitmaps, and at least one.
    public var isDiViNa: Bool { isRwpm && order.map { $0.count > 0 && $0.holdsOnlyBitmaps } == true }

    /// Whether it is a manifest whose reading order has only PDF files, and at least one.
    public var isPdfSequence: Bool { isRwpm && order.map { $0.count > 0 && $0.holdsOnlyPdf } == true }

    /// Whether it is a manifest whose reading order, read to its end, has only audio, and at least one item.
    public var isAudioSequence: Bool {
        isRwpm && order.map { $0.count > 0 && $0.isComplete && $0.holdsOnlyAudio } == true
    }

    /// Whether it is a manifest with a link to itself of this media type.
    public func isRwpm(selfType: MediaType) -> Bool { isRwpm && selfTypes.contains(where: selfType.contains) }

    /// Whether it is an LCP license document.
    public var isLcpLicense: Bool { isObject && rootNames.isSuperset(of: .license) }

    /// Whether it is an OPDS authentication document.
    public var isOpdsAuthentication: Bool { isObject && rootNames.isSuperset(of: .authenticationDocument) }

    private var order: ReadingOrder? { readingOrder ?? spine }

    /// Whether the part that was read determines which of the 18 formats this is, so that the rest need not be read.
    ///
    /// Only an LCP license that has a title and its four members after the first KiB would be misjudged. No such
    /// license is known.
    var isSettled: Bool {
        guard isRwpm else { return false }
        if isRwpm(selfType: .opds2) { return true }
        guard knowsLinks else { return false }
        if hasAcquisitionLink || isAudiobook { return true }
        guard let readingOrder else { return false }
        if readingOrder.count > 0, !readingOrder.holdsOnlyBitmaps { return isRwpm(selfType: .webPubManifest) }
        return readingOrder.isComplete && (isDiViNa || isRwpm(selfType: .webPubManifest))
    }
}

extension JSONOutline {
    /// Creates the outline of a complete document in memory; nil if it is not JSON, or its root is neither an object
    /// nor an array.
    init?(document: [UInt8]) {
        var document = document
        if WideText.isMarked(document) {
            guard let text = WideText.validUTF8(document) else { return nil }
            document = text
        }
        var offset = 0
        let outline = JSONOutline.read { _ in
            let piece = document[offset..<min(document.count, offset + SniffLimits.head)]
            offset += piece.count
            return Array(piece)
        }
        guard let outline else { return nil }
        self = outline
    }

    /// Creates the outline of a document in a source. Reads only as much as determines the format.
    ///
    /// Reading stops after 1, 4, 16 or 64 KiB if the format is determined at that point and more bytes follow.
    /// Otherwise it continues to the end, up to 16 MiB.
    init?(reading source: SniffedSource) {
        if WideText.isMarked(source.head(4).bytes) {
            // Wide text is read completely: pieces could end inside a character, and such documents are rare. A
            // document that is known to be too long is not read at all.
            guard source.knownLength.map({ $0 <= Int64(SniffLimits.document) }) ?? true,
                let data = source.data(0..<Int64(SniffLimits.document + 1)),
                data.count <= SniffLimits.document
            else { return nil }
            self.init(document: [UInt8](data))
            return
        }
        var pieces = Pieces(source)
        let outline = JSONOutline.read { pieces.next(isSettled: $0.isSettled) }
        guard let outline, outline.isComplete || outline.isSettled else { return nil }
        self = outline
    }

    /// Reads a document in a source piece by piece.
    private struct Pieces {
        private let source: SniffedSource
        private let isTooLong: Bool
        private var offset = 0

        init(_ source: SniffedSource) {
            self.source = source
            isTooLong = source.knownLength.map { $0 > Int64(SniffLimits.document) } ?? false
        }

        /// The next piece; empty at the end, nil if reading must stop.
        mutating func next(isSettled: Bool) -> [UInt8]? {
            if offset < SniffLimits.head {
                // The steps are the same for all sources, so that the answer does not depend on how the source is
                // read.
                guard offset == 0 || !isSettled || source.head(offset).isAll else { return nil }
                let step = SniffLimits.looks.first { $0 > offset } ?? SniffLimits.head
                let (head, isAll) = source.head(step)
                let end = min(head.count, step)
                defer { offset = max(offset, end) }
                if offset < end { return Array(head[offset..<end]) }
                if isAll { return [] }
            }
            guard !isSettled, !isTooLong else { return nil }
            // Reads one byte more than allowed, to detect a document that is too long.
            let end = min(offset + SniffLimits.chunk, SniffLimits.document + 1)
            guard let data = source.data(Int64(offset)..<Int64(end)) else { return nil }
            offset += data.count
            return offset > SniffLimits.document ? nil : [UInt8](data)
        }
    }

    /// Reads a document that arrives in pieces.
    ///
    /// - Parameter more: receives the outline so far and returns the next piece; empty at the end, nil to stop
    ///   reading.
    private static func read(more: (JSONOutline) -> [UInt8]?) -> JSONOutline? {
        withoutActuallyEscaping(more) { more in
            let reader = OutlineReader(more)
            do throws(JSONWalker.Stop) {
                try reader.readDocument()
                reader.outline.isComplete = true
                return reader.outline
            } catch {
                switch error {
                case .malformed: return nil
                case .interrupted: return reader.outline
                }
            }
        }
    }
}
