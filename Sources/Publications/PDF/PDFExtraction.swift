import Archives

/// Extracts the metadata and the cover from an opened file. It reads each part separately, so that damage to one does
/// not affect the others.
struct PDFExtraction {
    private let file: PDFFile
    private(set) var metadata = PublicationMetadata()
    private(set) var cover: Cover?
    private(set) var shortcomings: [Shortcoming] = []

    /// The longest metadata packet that is read, in bytes. Longer packets rarely contain more metadata of the book.
    static let packetBytes = 1 << 20

    init(_ file: PDFFile) {
        self.file = file
    }

    /// Reads all parts.
    mutating func run(source: any ByteSource) {
        if let refusal = file.security?.refusal {
            shortcomings.append(Shortcoming(.encrypted, subject: "", message: refusal))
        }
        let information = attempt("Info") { file throws(PDFFault) -> PDFDocumentInfo? in
            guard let entries = try file.resolve(file.trailer["Info"]).dictionary else {
                guard file.trailer["Info"] == nil else {
                    throw PDFFault.malformed("The document information is missing.")
                }
                return nil
            }
            return try PDFDocumentInfo(entries, of: file)
        }
        for key in information?.badKeys ?? [] {
            shortcomings.append(
                Shortcoming(
                    .badValue, subject: "Info/\(key)", message: "The value is invalid."))
        }
        let catalogue = attempt("Root") { file throws(PDFFault) -> [String: PDFObject]? in
            guard let entries = try file.resolve(file.trailer["Root"]).dictionary else {
                throw PDFFault.malformed("The catalogue is missing.")
            }
            return entries
        }
        let packet = catalogue?["Metadata"].flatMap { entry in
            attempt("Metadata") { file throws(PDFFault) -> XMPPacket? in
                guard case .stream(let stream) = try file.resolve(entry) else {
                    throw PDFFault.malformed("The metadata packet is missing.")
                }
                return XMPPacket(try file.data(of: stream, limit: Self.packetBytes))
            }
        }
        if let packet, let damage = packet.damage {
            shortcomings.append(
                Shortcoming(
                    packet.declaresEntities ? .entitiesDeclared : .damagedPart, subject: "Metadata",
                    message: damage))
        }
        metadata = Self.merged(information, packet)
        if let catalogue { readCatalogue(catalogue) }
        cover = attempt("cover") { file throws(PDFFault) -> Cover? in
            try PDFCover(of: file, source: source)?.cover
        }
        shortcomings += file.damages.map {
            Shortcoming(.damagedPart, subject: "", message: $0)
        }
    }

    /// Reads the language and the number of pages.
    private mutating func readCatalogue(_ catalogue: [String: PDFObject]) {
        let language = attempt("Lang") { file throws(PDFFault) -> String? in
            try file.resolve(catalogue["Lang"]).string.flatMap { PDFText.clean($0) }
        }
        if let language, !metadata.languages.contains(language) { metadata.languages.insert(language, at: 0) }
        metadata.pageCount = attempt("Pages") { file throws(PDFFault) -> Int? in
            let pages = try file.resolve(catalogue["Pages"]).dictionary
            guard let count = try file.resolve(pages?["Count"]).integer, (0...10_000_000).contains(count)
            else {
                throw PDFFault.malformed("The page tree does not give the number of pages.")
            }
            return count
        }
    }

    /// Runs one step. Returns its result, or nil after adding a shortcoming.
    private mutating func attempt<Value>(
        _ subject: String, _ read: (PDFFile) throws(PDFFault) -> Value?
    ) -> Value? {
        do {
            return try read(file)
        } catch {
            let code: Shortcoming.Code =
                switch error {
                case .source: .unreadablePart
                case .malformed: .damagedPart
                case .limit: .tooLarge
                case .locked: .encrypted
                }
            shortcomings.append(Shortcoming(code, subject: subject, message: error.message))
            return nil
        }
    }

    /// Merges both sources. The one that was changed last takes precedence, as the specification recommends (ISO
    /// 32000-1, 14.3.3), or the packet if that is not known. The other fills the gaps.
    private static func merged(_ information: PDFDocumentInfo?, _ packet: XMPPacket?) -> PublicationMetadata {
        guard let information else { return packet?.metadata ?? PublicationMetadata() }
        guard let packet else { return information.metadata }
        let isNewer = PDFDate.isSurelyLater(information.changed, than: packet.changed)
        return isNewer
            ? information.metadata.filled(from: packet.metadata)
            : packet.metadata.filled(from: information.metadata)
    }
}

extension PublicationMetadata {
    /// The metadata with missing values taken from `other`.
    fileprivate func filled(from other: PublicationMetadata) -> PublicationMetadata {
        var result = self
        result.title = title ?? other.title
        result.titleSort = titleSort ?? other.titleSort
        if alternateTitles.isEmpty { result.alternateTitles = other.alternateTitles }
        if authors.isEmpty { result.authors = other.authors }
        if contributors.isEmpty { result.contributors = other.contributors }
        result.series = series ?? other.series
        if collections.isEmpty { result.collections = other.collections }
        if identifiers.isEmpty { result.identifiers = other.identifiers }
        if languages.isEmpty { result.languages = other.languages }
        result.publisher = publisher ?? other.publisher
        result.published = published ?? other.published
        result.modified = modified ?? other.modified
        result.description = description ?? other.description
        if subjects.isEmpty { result.subjects = other.subjects }
        result.rights = rights ?? other.rights
        result.rating = rating ?? other.rating
        return result
    }
}
