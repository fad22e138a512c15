import MarvinCommands
import OverlayKit
import Platform

/// A change to one book of the library.
struct BookChange: Equatable {
    /// The index of the input item.
    var index: Int
    /// The present book.
    var present: LibraryBook
    /// The requested book, without its cover.
    var target: LibraryBook
    /// The fields that differ.
    var fields: Set<MetadataField>
    /// The new cover.
    var cover: EmbeddedCover?

    /// The new UUID; nil if the book keeps its own.
    private(set) var newUUID: String?

    /// A sentence for the row on success.
    var remark: String?

    /// Whether there is nothing to change.
    var isEmpty: Bool { fields.isEmpty && newUUID == nil }
    /// Whether the smaller command is enough, which leaves everything else unchanged.
    var isOnlyCollections: Bool { fields == [.collections] && newUUID == nil }

    /// Gives the book the UUID of the book from which it is updated, so that calibre finds it again. An id that was
    /// only derived from the content does not replace a UUID.
    ///
    /// - Throws: the errors of `check`.
    mutating func identify(as book: Book) throws(OverlayError) {
        guard let uuid = book.uuid, let contentID = book.contentID, uuid != contentID,
            uuid.lowercased() != present.uuid?.lowercased()
        else { return }
        newUUID = uuid
        try check()
    }

    /// The change from the present to the requested book; unknown values are left alone.
    ///
    /// - Parameters:
    ///   - shown: the collections that the user saw and edited; nil if they are not known, and then all requested
    ///     ones apply.
    ///   - isNewCover: returns whether the book does not have the image with this MD5.
    /// - Throws: `invalidArgument` for a value that a book cannot have.
    init(
        _ index: Int, _ present: LibraryBook, wanted: Book, shown: [String]? = nil,
        isNewCover: (String) -> Bool
    ) throws(OverlayError) {
        self.index = index
        self.present = present
        target = present
        fields = []
        try setTexts(wanted)
        try setValues(wanted)
        setLists(wanted, shown: shown)
        if let image = wanted.coverData, !image.isEmpty {
            guard CoverThumbnail(image: image) != nil else {
                throw OverlayError(
                    .unsupportedFormat, "The cover is not a JPEG or PNG image.",
                    hint: "Convert the image first.")
            }
            let hash = try EmbeddedCover.hash(of: image)
            if isNewCover(hash) {
                cover = EmbeddedCover(hash: hash, data: image)
                fields.insert(.cover)
            }
        }
        try check()
    }

    private mutating func setTexts(_ wanted: Book) throws(OverlayError) {
        if let title = wanted.title, Self.carried(title) == nil, target.title.flatMap(Self.carried) != nil {
            throw OverlayError(
                .invalidArgument, "A book must have a title.", hint: "Give a non-empty title.")
        }
        set(.title, wanted.title, \.title)
        set(.titleSort, wanted.titleSort ?? (fields.contains(.title) ? target.title : nil), \.titleSort)
        // The same text with the names split differently is not a change.
        if let authors = wanted.authors, authors != present.authors {
            set(.authors, authors.joined(separator: ", "), \.author)
        }
        let sortNames = fields.contains(.authors) ? wanted.authors.map(Self.sortNames) : nil
        set(.authorSort, wanted.authorSort ?? sortNames, \.authorSort)
        set(.series, wanted.series, \.series)
        set(.publisher, wanted.publisher, \.publisher)
        set(.description, wanted.description, \.description)
    }

    private mutating func set(
        _ field: MetadataField, _ wanted: String?, _ path: WritableKeyPath<LibraryBook, String?>
    ) {
        guard let wanted else { return }
        let text = Self.carried(wanted)
        guard text != target[keyPath: path].flatMap(Self.carried) else { return }
        target[keyPath: path] = text
        fields.insert(field)
    }

    private mutating func setValues(_ wanted: Book) throws(OverlayError) {
        if let index = wanted.seriesIndex {
            guard index.isFinite, index >= 0 else {
                throw Self.impossible("A series index must be 0 or greater.", "\(index)")
            }
            if index != target.seriesIndex ?? 0 {
                target.seriesIndex = index
                fields.insert(.seriesIndex)
            }
        } else if target.series == nil, fields.contains(.series) {
            target.seriesIndex = nil
        }
        if let day = wanted.pubdate {
            guard day.isEmpty || PublicationDate(text: day) != nil else {
                throw Self.impossible("A publication date must have the form YYYY-MM-DD.", day)
            }
            let date = PublicationDate(text: day)?.description
            if date != target.published {
                target.published = date
                fields.insert(.pubdate)
            }
        }
        if let rating = wanted.rating {
            guard (0...5).contains(rating) else {
                throw Self.impossible("A rating must be a number from 0 to 5.", "\(rating)")
            }
            if rating != target.rating ?? 0 {
                target.rating = rating == 0 ? nil : rating
                fields.insert(.rating)
            }
        }
        if let isLocked = wanted.isLocked, isLocked != target.isLocked ?? false {
            target.isLocked = isLocked
            fields.insert(.locked)
        }
        if let count = wanted.wordCount, count != target.wordCount ?? 0 {
            target.wordCount = count == 0 ? nil : count
            fields.insert(.wordCount)
        }
    }

    private mutating func setLists(_ wanted: Book, shown: [String]?) {
        if let tags = wanted.tags.map(Self.names), Set(tags) != Set(target.tags) {
            target.tags = tags.sorted()
            fields.insert(.tags)
        }
        guard let list = wanted.collections.map(Self.collections) else { return }
        let present = Set(target.collections)
        let base = shown.map { Set(Self.collections($0)) } ?? present
        let names = present.union(Set(list).subtracting(base)).subtracting(base.subtracting(list))
        if names != present {
            target.collections = names.sorted()
            fields.insert(.collections)
        }
    }

    // MARK: - Values as they travel

    /// A text as the library returns it after a command: without white space at its ends and without characters that
    /// XML does not allow; nil if nothing is left.
    static func carried(_ text: String) -> String? {
        let scalars = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: true
            case 0..<0x20, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
        let kept = String(String.UnicodeScalarView(scalars)).trimmed(of: \.isWhitespace)
        return kept.isEmpty ? nil : kept
    }

    /// The names without empty ones and duplicates.
    static func names(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.compactMap(carried).filter { seen.insert($0).inserted }
    }

    /// Collection names, with flags in Marvin's spelling.
    static func collections(_ names: [String]) -> [String] {
        Self.names(
            names.map { name in
                LibraryFlag(rawValue: name.trimmed(of: \.isWhitespace).uppercased())?.rawValue ?? name
            })
    }

    /// "Ann Author" and "Bo Writer" as "Author, Ann & Writer, Bo".
    private static func sortNames(_ authors: [String]) -> String {
        authors.map { author in
            let name = author.trimmed(of: \.isWhitespace)
            guard !name.contains(","), let space = name.lastIndex(of: " ") else { return name }
            let first = String(name[..<space]).trimmed(of: \.isWhitespace)
            return name[name.index(after: space)...] + ", " + first
        }.joined(separator: " & ")
    }

    private static func impossible(_ message: String, _ value: String) -> OverlayError {
        OverlayError(.invalidArgument, message, subject: value)
    }
}

/// A change depends on the library's record of the book, which may be incomplete and may change meanwhile.
extension BookChange {
    /// The same change for the book's present state: changes by other programs are kept, and only the intended
    /// collections are added and removed.
    ///
    /// - Throws: the errors of `check`.
    func rebased(on now: LibraryBook) throws(OverlayError) -> BookChange {
        guard now != present else { return self }
        var change = self
        (change.present, change.target) = (now, now)
        for field in fields {
            switch field {
            case .title: change.target.title = target.title
            case .titleSort: change.target.titleSort = target.titleSort
            case .authors: change.target.author = target.author
            case .authorSort: change.target.authorSort = target.authorSort
            case .series: change.target.series = target.series
            case .seriesIndex: change.target.seriesIndex = target.seriesIndex
            case .publisher: change.target.publisher = target.publisher
            case .pubdate: change.target.published = target.published
            case .description: change.target.description = target.description
            case .tags: change.target.tags = target.tags
            case .collections:
                let names = Set(now.collections).union(addedCollections).subtracting(removedCollections)
                change.target.collections = names.sorted()
            case .rating: change.target.rating = target.rating
            case .locked: change.target.isLocked = target.isLocked
            case .wordCount: change.target.wordCount = target.wordCount
            case .cover: break
            }
        }
        if change.target.series == nil, !fields.contains(.seriesIndex) { change.target.seriesIndex = nil }
        try change.check()
        return change
    }

    /// Collections and flags to add.
    var addedCollections: Set<String> { Set(target.collections).subtracting(present.collections) }

    /// Collections and flags to remove.
    var removedCollections: Set<String> { Set(present.collections).subtracting(target.collections) }

    /// Checks that the command for this change does not delete anything that was read only partly.
    ///
    /// Lists are replaced as a whole. A list that could not be read is left out of a command about other fields and
    /// cannot be changed itself. A text that was read only partly cannot be left out, so it is not sent.
    ///
    /// - Throws: `notSupported`.
    func check() throws(OverlayError) {
        guard !isEmpty else { return }
        let partly = present.unread.union(present.cut)
        for field in [MetadataField.collections, .tags] where fields.contains(field) && partly.contains(field)
        {
            throw OverlayError(
                .notSupported,
                "Cannot read the book's \(field.phrase), so changing them might remove some.",
                subject: present.fileName, hint: "Change them in Marvin itself.")
        }
        guard !isOnlyCollections else { return }
        let lists: [MetadataField] = [.collections, .tags]
        guard
            let lost = present.cut.fields.first(where: { !lists.contains($0) && !fields.contains($0) })
        else { return }
        throw OverlayError(
            .notSupported,
            "Cannot read the book's \(lost.phrase) completely, so changing the book would truncate it.",
            subject: present.fileName,
            hint: "Give the \(lost.phrase) in the same command, or change the book in Marvin itself.")
    }
}
