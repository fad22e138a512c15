import OverlayKit

/// A change rests on what the library says of the book, which may be incomplete, and may be another thing a moment later.
extension BookChange {
    /// The same change of the book as it is now: what somebody else has changed since stays, and of the collections only those
    /// are added and taken away that were meant.
    ///
    /// - Throws: as `check`.
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

    /// Collections and flags that the book does not have yet.
    var addedCollections: Set<String> { Set(target.collections).subtracting(present.collections) }

    /// Collections and flags that the book is to lose.
    var removedCollections: Set<String> { Set(present.collections).subtracting(target.collections) }

    /// Makes sure that the command for this change takes nothing away of which only a part was read.
    ///
    /// Lists are replaced as wholes: those that could not be read are left out of a command that is about something else, and
    /// are not changed themselves. A text of which only a part is known cannot be left out and is not sent.
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
