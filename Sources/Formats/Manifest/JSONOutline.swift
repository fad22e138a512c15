/// What the rules of sniffing ask of a JSON document, collected without building the document's values.
///
/// Read strictly by RFC 8259, to 256 levels, the last of repeated names counting, as the JSON module reads documents.
public struct JSONOutline: Sendable, Equatable {
    /// Whether the root is an object, and not an array.
    public internal(set) var isObject = false
    /// Whether the document was read to its end; if not, what had been read already decided its format.
    public internal(set) var isComplete = false
    /// Whether `metadata` has a title: a text that is not empty, or texts by language.
    public internal(set) var hasTitle = false
    /// `metadata.@type`, if it is a text.
    public internal(set) var type: String?
    /// The media types of the top-level links with the relation `self`.
    public internal(set) var selfTypes: Set<MediaType> = []
    /// Whether a top-level link has a relation that begins with `http://opds-spec.org/acquisition`.
    public internal(set) var hasAcquisitionLink = false
    /// The texts of the root's `@context`, or the one text it is.
    public internal(set) var contexts: [String] = []
    /// Which of the names that rules ask for the root has.
    var rootNames: RootNames = []
    /// Whether the top-level `links` have been read to their end.
    var knowsLinks = false
    /// What is known about `readingOrder`.
    var readingOrder: ReadingOrder?
    /// What is known about `spine`, its older name.
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

    /// What the links of a reading order have in common.
    struct ReadingOrder: Equatable {
        var count = 0
        var holdsOnlyBitmaps = true
        var holdsOnlyPdf = true
        var holdsOnlyAudio = true
        var isComplete = false

        /// Takes in the type of one more link.
        mutating func add(isBitmap: Bool, isPdf: Bool, isAudio: Bool) {
            count += 1
            holdsOnlyBitmaps = holdsOnlyBitmaps && isBitmap
            holdsOnlyPdf = holdsOnlyPdf && isPdf
            holdsOnlyAudio = holdsOnlyAudio && isAudio
        }
    }

    init() {}

    /// Whether the document is a Readium Web Publication Manifest, by the minimum of section 7.
    public var isRwpm: Bool { isObject && hasTitle }

    /// Whether it is one of an audiobook.
    public var isAudiobook: Bool { isRwpm && type == "http://schema.org/Audiobook" }

    /// Whether it is one whose reading order has only bitmaps, and at least one.
    public var isDiViNa: Bool { isRwpm && order.map { $0.count > 0 && $0.holdsOnlyBitmaps } == true }

    /// Whether it is one whose reading order has only PDF, and at least one.
    public var isPdfSequence: Bool { isRwpm && order.map { $0.count > 0 && $0.holdsOnlyPdf } == true }

    /// Whether it is one whose reading order, read to its end, has only audio, and at least one item.
    public var isAudioSequence: Bool {
        isRwpm && order.map { $0.count > 0 && $0.isComplete && $0.holdsOnlyAudio } == true
    }

    /// Whether it is one with a link to itself of a media type.
    public func isRwpm(selfType: MediaType) -> Bool { isRwpm && selfTypes.contains(where: selfType.contains) }

    /// Whether it is a licence of LCP.
    public var isLcpLicense: Bool { isObject && rootNames.isSuperset(of: .license) }

    /// Whether it is an authentication document of OPDS.
    public var isOpdsAuthentication: Bool { isObject && rootNames.isSuperset(of: .authenticationDocument) }

    private var order: ReadingOrder? { readingOrder ?? spine }

    /// Whether what was read so far settles which of the 18 formats this is, so that the rest need not be read.
    ///
    /// Only a licence of LCP with a title could still change that, if its four members came after the first KiB. No such
    /// licence is known.
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
    /// The outline of a whole document in memory; nil if it is not JSON, or its root neither an object nor an array.
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

    /// The outline of a document in a source, of which no more is read than settles the format.
    ///
    /// Reading stops after 1, 4, 16 or 64 KiB, if the format is settled then and more follows; else it continues to the end, if
    /// that is within 16 MiB.
    init?(reading source: SniffedSource) {
        if WideText.isMarked(source.head(4).bytes) {
            // Pieces could end inside a character, and such documents are rare: read the document whole.
            // One that is known to be too long is not read in vain.
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

    /// The pieces of a document in a source.
    private struct Pieces {
        private let source: SniffedSource
        private let isTooLong: Bool
        private var offset = 0

        init(_ source: SniffedSource) {
            self.source = source
            isTooLong = source.knownLength.map { $0 > Int64(SniffLimits.document) } ?? false
        }

        /// The next piece, empty at the end; nil if no more is to be read.
        mutating func next(isSettled: Bool) -> [UInt8]? {
            if offset < SniffLimits.head {
                // The same steps for every source, so that the answer does not depend on how it is read.
                guard offset == 0 || !isSettled || source.head(offset).isAll else { return nil }
                let step = SniffLimits.looks.first { $0 > offset } ?? SniffLimits.head
                let (head, isAll) = source.head(step)
                let end = min(head.count, step)
                defer { offset = max(offset, end) }
                if offset < end { return Array(head[offset..<end]) }
                if isAll { return [] }
            }
            guard !isSettled, !isTooLong else { return nil }
            // One byte more than may be, to learn whether the document ends where it must.
            let end = min(offset + SniffLimits.chunk, SniffLimits.document + 1)
            guard let data = source.data(Int64(offset)..<Int64(end)) else { return nil }
            offset += data.count
            return offset > SniffLimits.document ? nil : [UInt8](data)
        }
    }

    /// Reads a document of pieces.
    ///
    /// - Parameter more: the next piece, empty at the end, nil to stop reading; it gets what is known so far.
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
