import OverlayKit
import UploadPlanning

/// Finds the books of the lists that an item of an upload may be. Use on the device thread.
///
/// Books that no list names do not count, because Books does not know them.
final class ListEvidence: UploadEvidence {
    private let host: HostServices
    private var items: [SafePath: BooksLibrary.Item] = [:]
    private var byID: [String: [SafePath]] = [:]
    /// Books by the common beginning of the ids made from one UUID.
    private var byBeginning: [String: [SafePath]] = [:]
    private var names: [SafePath: (title: String?, authors: [String])] = [:]
    private var byTitle = TitleIndex<SafePath>()
    /// Books that could not be read and that have no title in the lists.
    private var untitled: [SafePath] = []
    /// Books that could not be read and of which the lists have only the title.
    private var unread: Set<SafePath> = []
    /// Annotations by the app's names for books; nil if they have not been read or there is no file of them.
    private var annotations: [String: [Annotation]]?
    private var hasReadAnnotations = false
    /// Whether some annotations could not be read.
    private var areAnnotationsIncomplete = false
    private let isReplacing: Bool
    /// The EPUBs of the upload, by index.
    private var files: [Int: (file: HostFile, size: UInt64)] = [:]
    /// The unpacked books with the contents of items, by the items' indexes.
    private var unpacked: [Int: SafePath] = [:]

    /// - Parameters:
    ///   - inspections: the inspection of each book of the library.
    ///   - isReplacing: whether existing books are replaced.
    init(_ host: HostServices, _ library: BooksLibrary, _ inspections: [BookInspection], isReplacing: Bool) {
        (self.host, self.isReplacing) = (host, isReplacing)
        for (item, inspection) in zip(library.items, inspections) where !item.sources.isEmpty {
            items[item.path] = item
            for id in item.entry?.assetIDs ?? [] { byID[id, default: []].append(item.path) }
            if let id = item.entry?.persistentID?.uppercased() {
                byBeginning[PersistentID.beginning(of: id), default: []].append(item.path)
            }
            take(item, inspection.book)
            guard !inspection.isFinal, !item.isUnpacked else { continue }
            if item.entry?.title == nil {
                untitled.append(item.path)
            } else if item.entry?.artist == nil {
                unread.insert(item.path)
            }
        }
    }

    /// The book at a path.
    func item(_ path: SafePath) -> BooksLibrary.Item? { items[path] }

    private func take(_ item: BooksLibrary.Item, _ book: Book) {
        let authors = item.entry?.artist.map { Authors.split($0) } ?? book.authors ?? []
        let title = item.entry?.title ?? book.title
        names[item.path] = (title, authors)
        byTitle.insert(item.path, title: title, authors: authors)
    }

    func book(atPath path: String) -> PresentBook<SafePath>? { SafePath(path).flatMap { present($0) } }

    /// Finds books by the persistent ids made from a UUID; requires a book whose id is made from the UUID alone.
    func books(withUUID uuid: String) -> [PresentBook<SafePath>] {
        guard let id = PersistentID.of(uuid: uuid) else { return [] }
        let own = byID[id] ?? []
        let others = (byBeginning[PersistentID.beginning(of: id)] ?? []).filter { !own.contains($0) }
        return (own + others).compactMap(present)
    }

    /// Sets the file of an item that is an EPUB.
    func take(_ file: HostFile, size: UInt64, of index: Int) { files[index] = (file, size) }

    /// Whether an item has the content of an unpacked book, part by part.
    func isUnpacked(_ path: SafePath, of index: Int) -> Bool { unpacked[index] == path }

    /// Finds a book by its digest in the lists, or an unpacked book by its parts.
    func book(
        withContentOf book: IncomingBook, besides claimed: Set<SafePath>
    ) throws(OverlayError) -> PresentBook<SafePath>? {
        let ids = [book.content, PersistentID.of(digest: book.content)]
        let path = ids.lazy.flatMap { self.byID[$0] ?? [] }.first { !claimed.contains($0) }
        if let path { return present(path) }
        return try unpackedBook(of: book, besides: claimed).flatMap(present)
    }

    /// An unpacked book with the same title and the content of an item: fetching it gives an archive that is not in
    /// the lists.
    ///
    /// If existing books are left alone, this check is not needed when there is only one book with the title and an
    /// author.
    private func unpackedBook(
        of book: IncomingBook, besides claimed: Set<SafePath>
    ) throws(OverlayError) -> SafePath? {
        guard let (file, size) = files[book.index] else { return nil }
        let named = byTitle.books(title: book.title, authors: book.authors)
        if !isReplacing, named.count(where: { $0.similarity == .same }) == 1 { return nil }
        let folders = byTitle.books(title: book.title, authors: nil).map(\.key)
            .filter { items[$0]?.isUnpacked == true && !claimed.contains($0) }
        guard !folders.isEmpty else { return nil }
        let parts: BookParts
        do throws(OverlayError) {
            parts = try BookParts(host, file, size: size)
        } catch {
            guard error.status == .damaged else { throw error }
            return nil
        }
        for path in folders where try parts.isContent(ofFolder: BooksLibrary.path(path), host) {
            unpacked[book.index] = path
            return path
        }
        return nil
    }

    /// Books stores highlights, notes and bookmarks outside the files.
    func changedState(
        of book: IncomingBook, besides claimed: Set<SafePath>
    ) throws(OverlayError) -> PresentBook<SafePath>? { nil }

    func books(namedAs book: IncomingBook) throws(OverlayError) -> [NamedBook<SafePath>] {
        try readAgain(for: book)
        return byTitle.books(title: book.title, authors: book.authors).compactMap { path, similarity in
            present(path).map { NamedBook($0, similarity, isNear: false) }
        }
    }

    func hasContent(_ present: PresentBook<SafePath>, of book: IncomingBook) throws(OverlayError) -> Bool? {
        items[present.key]?.entry?.packageHash.map { $0.uppercased() == book.content }
    }

    /// The marks that Books connects with the old content only.
    func marks(
        in present: PresentBook<SafePath>, replacedBy book: IncomingBook
    ) throws(OverlayError) -> ReadingMarks? {
        guard let entry = items[present.key]?.entry, let hash = entry.packageHash?.uppercased() else {
            return nil
        }
        if hash == book.content || hash == entry.persistentID?.uppercased() { return ReadingMarks() }
        if !hasReadAnnotations {
            let read = try AnnotationReader(host: host).readableAnnotations()
            if let failure = read.failure {
                host.log.warning("ibooks", failure.message, ["file": failure.subject ?? ""])
            }
            (annotations, areAnnotationsIncomplete) = (read.annotations, read.failure != nil)
        }
        hasReadAnnotations = true
        guard annotations != nil || areAnnotationsIncomplete else { return nil }
        var marks = ReadingMarks(kinds: (annotations?[hash] ?? []).map { $0.kind ?? "highlight" })
        marks.areIncomplete = areAnnotationsIncomplete
        return marks
    }

    private func present(_ path: SafePath) -> PresentBook<SafePath>? {
        guard let name = names[path] else { return nil }
        return PresentBook(
            path, path: path.text, title: name.title, authors: name.authors,
            format: items[path]?.format.rawValue)
    }

    /// Reads the books again that may match this one: those without a title and those with its title.
    ///
    /// - Throws: the error of the first book that cannot be read; the others can be tried later.
    private func readAgain(for book: IncomingBook) throws(OverlayError) {
        while let path = untitled.last {
            try readAgain(path)
            untitled.removeLast()
        }
        guard !unread.isEmpty else { return }
        for (path, _) in byTitle.books(title: book.title, authors: nil) where unread.contains(path) {
            try readAgain(path)
            unread.remove(path)
        }
    }

    private func readAgain(_ path: SafePath) throws(OverlayError) {
        guard let item = items[path] else { return }
        do throws(OverlayError) {
            let metadata = try host.metadata.read(.device(.media, item.devicePath))
            byTitle.remove(path, title: names[path]?.title, authors: names[path]?.authors)
            take(item, metadata.book)
        } catch {
            guard error.status == .notFound || BookInspections.isFinal(error) else { throw error }
        }
    }
}
