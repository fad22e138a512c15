import Archives
import FoundationEssentials

/// Extracts the metadata and the cover from an opened MOBI file.
struct MOBIExtraction {
    private let database: PalmDatabase
    private(set) var info: PublicationInfo

    init(_ database: PalmDatabase) {
        self.database = database
        info = PublicationInfo(format: MOBIReader.mediaTypes[0])
    }

    /// Reads the first header, and also the header of the KF8 part if the first one states no title.
    mutating func run(_ input: PublicationInput) throws(MOBIFault) {
        info.format = input.format
        if database.isTableDamaged {
            note(.damagedPart, "records", "The table of records is damaged.")
        }
        let header: MOBIHeader
        if database.offsets.isEmpty {
            header = MOBIHeader(Data())
            note(.missingPart, "record 0", "The book's header is missing.")
        } else {
            header = MOBIHeader(try database.record(0, limit: MOBIHeader.mostBytes))
        }
        for damage in header.damages { note(.damagedPart, "record 0", damage) }
        if header.isProtected {
            note(.encrypted, "text", "The book's text is protected, but its metadata is not.")
        }
        info.metadata = header.metadata
        if header.extra?.all(EXTHHeader.Kind.title).isEmpty ?? true { fillFromSecondPart(header) }
        if info.metadata.title == nil {
            info.metadata.title = header.text(database.name[...])?.replacingUnderscores
        }
        info.completeTitle(from: input)
        findCover(header, source: input.source)
    }

    /// A file for both old and new readers holds two books. The newer one supplies what the older one leaves out.
    private mutating func fillFromSecondPart(_ first: MOBIHeader) {
        guard let boundary = first.extra?.number(EXTHHeader.Kind.kf8Boundary), boundary > 0 else { return }
        do {
            let second = MOBIHeader(try database.record(boundary, limit: MOBIHeader.mostBytes))
            let newer = second.metadata
            guard let extra = second.extra, !extra.all(EXTHHeader.Kind.title).isEmpty else { return }
            var merged = newer
            if merged.authors.isEmpty { merged.authors = info.metadata.authors }
            merged.publisher = merged.publisher ?? info.metadata.publisher
            merged.description = merged.description ?? info.metadata.description
            merged.published = merged.published ?? info.metadata.published
            if merged.subjects.isEmpty { merged.subjects = info.metadata.subjects }
            if merged.languages.isEmpty { merged.languages = info.metadata.languages }
            if merged.identifiers.isEmpty { merged.identifiers = info.metadata.identifiers }
            info.metadata = merged
        } catch {
            note(.damagedPart, "record \(boundary)", "Cannot read the header of the second part.")
        }
    }

    private mutating func findCover(_ header: MOBIHeader, source: any ByteSource) {
        guard let first = header.firstImage else { return }
        var candidates: [Int] = []
        for kind in [EXTHHeader.Kind.coverOffset, EXTHHeader.Kind.thumbnailOffset] {
            if let offset = header.extra?.number(kind) { candidates.append(first + offset) }
        }
        let isNamed = !candidates.isEmpty
        candidates.append(first)
        for (place, index) in candidates.enumerated() where !candidates[..<place].contains(index) {
            do {
                if let cover = try MOBICover(database, record: index, source: source) {
                    if isNamed, place > 0 {
                        note(
                            .missingCover, "record \(candidates[0])",
                            "The cover is missing; another image was used.")
                    }
                    info.cover = cover.cover
                    return
                }
            } catch {
                switch error {
                case .source(let underlying):
                    note(.unreadablePart, "record \(index)", "Cannot read the cover: \(underlying)")
                    return
                case .malformed: continue
                }
            }
        }
        if isNamed { note(.missingCover, "record \(candidates[0])", "The cover is missing.") }
    }

    private mutating func note(_ code: Shortcoming.Code, _ subject: String, _ message: String) {
        info.shortcomings.append(Shortcoming(code, subject: subject, message: message))
    }
}

extension String {
    /// The name of a Palm database, with its underscores replaced by spaces, as a title.
    fileprivate var replacingUnderscores: String {
        String(map { $0 == "_" ? " " : $0 }).trimmingSpace()
    }
}
