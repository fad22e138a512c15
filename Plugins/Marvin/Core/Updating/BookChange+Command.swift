import MarvinCommands

extension BookChange {
    /// The book for the command that replaces everything. Unchanged values are sent back, and values that were not
    /// read are left out, because sending them as empty would delete them.
    ///
    /// Marvin finds the book by its file name. The UUID is the new one, or else the library's own; otherwise a
    /// requested UUID is given only to a book that has none.
    func metadata(uuid: String?) -> UpdateMetadata.Book {
        var book = UpdateMetadata.Book(
            fileName: present.fileName, uuid: newUUID ?? present.uuid ?? uuid ?? "")
        book.author = target.author ?? ""
        book.authorSort = target.authorSort ?? ""
        book.publicationDate = target.published.flatMap { PublicationDate(text: $0) }
        book.publisher = target.publisher ?? ""
        book.rating = target.rating
        book.series = target.series ?? ""
        book.seriesIndex = target.seriesIndex
        book.title = target.title ?? ""
        book.titleSort = target.titleSort ?? ""
        if fields.contains(.locked) { book.isLocked = target.isLocked }
        if fields.contains(.wordCount) { book.wordCount = Int(clamping: target.wordCount ?? 0) }
        book.description = target.description ?? (fields.contains(.description) ? "" : nil)
        book.collections = isKnown(.collections) ? target.collections : nil
        book.subjects = isKnown(.tags) ? target.tags : nil
        book.cover = cover
        book.unknown = Set(Self.attributes.filter { !isKnown($0.value) }.map(\.key))
        return book
    }

    private static let attributes: [UpdateMetadata.Attribute: MetadataField] = [
        .author: .authors, .authorSort: .authorSort, .publisher: .publisher, .rating: .rating,
        .series: .series,
        .seriesIndex: .seriesIndex, .title: .title, .titleSort: .titleSort,
    ]

    /// Whether the requested value is known because it was read or is new.
    private func isKnown(_ field: MetadataField) -> Bool {
        fields.contains(field) || !present.unread.contains(field) && !present.cut.contains(field)
    }

    /// The book for the command that replaces its collections.
    var rebuilt: RebuildCollections.Book {
        RebuildCollections.Book(
            fileName: present.fileName, title: present.title ?? "", author: present.author ?? "",
            uuid: present.uuid ?? "", collections: target.collections)
    }

    /// The fields of the change that the library's present book does not have yet, in a fixed order.
    func missing(in now: LibraryBook) -> [MetadataField] {
        MetadataField.allCases.filter { fields.contains($0) && !has($0, now) }
    }

    private func has(_ field: MetadataField, _ now: LibraryBook) -> Bool {
        func same(_ path: KeyPath<LibraryBook, String?>) -> Bool {
            target[keyPath: path].flatMap(Self.carried) == now[keyPath: path].flatMap(Self.carried)
        }
        return switch field {
        case .title: same(\.title)
        // A version without the column cannot show the change.
        case .titleSort: now.unread.contains(.titleSort) || same(\.titleSort)
        case .authors: same(\.author)
        case .authorSort: same(\.authorSort)
        case .series: same(\.series)
        case .publisher: same(\.publisher)
        case .description: same(\.description)
        case .pubdate: target.published == now.published
        case .seriesIndex: abs((target.seriesIndex ?? 0) - (now.seriesIndex ?? 0)) < 0.005
        case .rating: now.rating == nil && present.rating == nil || near(target.rating, now.rating)
        case .tags: Set(target.tags) == Set(now.tags)
        // The user may have added the book to other collections meanwhile.
        case .collections:
            addedCollections.isSubset(of: now.collections)
                && removedCollections.isDisjoint(with: now.collections)
        // Marvin may store another id for the cover than was sent. It is enough that the id has changed.
        case .cover:
            now.coverHash == nil || now.coverHash == cover?.hash || now.coverHash != present.coverHash
        case .locked: now.isLocked == nil || now.isLocked == target.isLocked
        case .wordCount:
            now.wordCount == target.wordCount || now.wordCount == nil && present.wordCount == nil
        }
    }

    private func near(_ left: Double?, _ right: Double?) -> Bool { abs((left ?? 0) - (right ?? 0)) < 0.005 }
}
