extension BookChanges {
    /// The most bytes of a cover that a sidecar names.
    private static let largestCover = 8 << 20

    /// What a sidecar says, such as calibre's `metadata.opf`: the file that is named, wherever it lies. What it does not say is
    /// left alone; collections are not taken from it.
    ///
    /// - Parameter notice: takes a sentence about a cover that is named and cannot be used.
    /// - Throws: `inputUnreadable`, or what is wrong with the file.
    package init(sidecar path: String, notice: (String) -> Void) throws(HostError) {
        let sidecar: Sidecar
        do throws(HostError) {
            sidecar = try Sidecar(path: path)
        } catch {
            var error = error
            error.subject = path
            throw error
        }
        self.init()
        let book = sidecar.book
        (title, titleSort, authors, authorSort) = (book.title, book.titleSort, book.authors, book.authorSort)
        (series, seriesIndex, publisher, pubdate) = (
            book.series, book.seriesIndex, book.publisher, book.pubdate
        )
        (description, tags, rating) = (book.description, book.tags, book.rating)
        do throws(HostError) {
            cover = try sidecar.cover { size in
                size > UInt64(Self.largestCover)
                    ? "It is larger than \(ByteText.text(UInt64(Self.largestCover)))." : nil
            }
        } catch {
            notice("Not using the cover \(error.subject ?? ""): \(error.message)")
        }
    }

    /// These changes with every field that the other names. How a title is sorted belongs to the title, and so with the authors
    /// and the place in a series.
    package func overridden(by other: BookChanges) -> BookChanges {
        var changes = self
        changes.title = other.title ?? title
        changes.titleSort = other.titleSort ?? (other.title == nil ? titleSort : nil)
        changes.authors = other.authors ?? authors
        changes.authorSort = other.authorSort ?? (other.authors == nil ? authorSort : nil)
        changes.series = other.series ?? series
        changes.seriesIndex = other.seriesIndex ?? (other.series == nil ? seriesIndex : nil)
        changes.publisher = other.publisher ?? publisher
        changes.pubdate = other.pubdate ?? pubdate
        changes.description = other.description ?? description
        changes.tags = other.tags ?? tags
        changes.collections = other.collections ?? collections
        changes.rating = other.rating ?? rating
        changes.cover = other.cover ?? cover
        changes.isLocked = other.isLocked ?? isLocked
        changes.wordCount = other.wordCount ?? wordCount
        return changes
    }

    /// These changes without the fields that are not among `words`, which are those of `settable_metadata`.
    package func limited(to words: [String]) -> BookChanges {
        func kept<Value>(_ value: Value?, _ word: String) -> Value? { words.contains(word) ? value : nil }
        var changes = self
        changes.title = kept(title, "title")
        changes.titleSort = kept(titleSort, "title_sort")
        changes.authors = kept(authors, "authors")
        changes.authorSort = kept(authorSort, "author_sort")
        changes.series = kept(series, "series")
        changes.seriesIndex = kept(seriesIndex, "series_index")
        changes.publisher = kept(publisher, "publisher")
        changes.pubdate = kept(pubdate, "pubdate")
        changes.description = kept(description, "description")
        changes.tags = kept(tags, "tags")
        changes.collections = kept(collections, "collections")
        changes.rating = kept(rating, "rating")
        changes.cover = kept(cover, "cover")
        changes.isLocked = kept(isLocked, "locked")
        changes.wordCount = kept(wordCount, "word_count")
        return changes
    }
}
