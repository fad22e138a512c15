import BibTeX
import BookFolders
import OverlayKit

/// Adds papers to the device, each with an entry: an existing one if the library has the work, or a new one.
struct PaperUpload {
    /// The library that gets the papers.
    let library: ReferenceLibrary
    /// The present document of the library.
    private(set) var document: BibTeXDocument
    private let list: ReferenceList
    private let options: UploadOptions
    private let settings: BibDeskSettings
    private let now: Int64
    private var taken: TakenNames
    private var references: [String: [ReferenceBook]] = [:]
    private var keys: Set<String>
    private let linked: Set<String>

    /// A paper to send.
    struct Sending {
        /// Its target, relative to the folder of papers.
        let place: ShelfPath
        /// The outcome on success.
        let outcome: Outcome
        /// Whether to remove the file again if the library cannot be written.
        var isNew = false
    }

    /// - Parameter now: seconds since 1970-01-01 00:00 UTC.
    init(
        _ list: ReferenceList, _ options: UploadOptions, _ settings: BibDeskSettings, now: Int64
    ) throws(OverlayError) {
        let library = try Self.library(list.device.libraries, settings)
        self.library = library
        document = library.document
        (self.list, self.options, self.settings, self.now) = (list, options, settings, now)
        taken = list.device.taken
        keys = Set(library.resolved.entries.compactMap { library.resolved.block($0).key?.lowercased() })
        linked = Set(list.books.flatMap(\.papers).compactMap { $0.place?.text })
        for book in list.books where book.library.path == library.path {
            let title = BookSimilarity.compared(library.resolved.title(of: book.entry))
            references[title, default: []].append(book)
        }
    }

    /// The library for papers: the one named in the settings, or the only one.
    private static func library(
        _ libraries: [ReferenceLibrary], _ settings: BibDeskSettings
    ) throws(OverlayError) -> ReferenceLibrary {
        let names = libraries.map(\.path.text)
        if let wanted = settings.library {
            guard let library = libraries.first(where: { $0.path.text.lowercased() == wanted.lowercased() })
            else {
                throw OverlayError(
                    .notFound, "The library in \(BibDeskSettings.Key.library) is not on the device.",
                    subject: wanted,
                    hint:
                        "The device has: \(names.joined(separator: ", ")). Choose one with: overlayhost prefs set "
                        + "\(BibDeskSettings.Key.library) NAME",
                    hintKind: .preference)
            }
            return library
        }
        guard libraries.count < 2 else {
            throw OverlayError(
                .invalidArgument,
                "The device has several libraries: \(names.joined(separator: ", ")).",
                hint: "Choose the one for new papers with: overlayhost prefs set "
                    + "\(BibDeskSettings.Key.library) NAME",
                hintKind: .preference)
        }
        guard let library = libraries.first else {
            throw OverlayError(
                .notFound, "The device has no library that a paper could be added to.",
                hint: "Upload a .bib file first.")
        }
        return library
    }

    /// Finds or adds the entry of a paper, with its link and groups.
    ///
    /// - Parameter size: the size of the file in bytes.
    /// - Returns: where to send it; nil if the paper is on the device and stays unchanged.
    mutating func add(_ item: UploadItem, size: UInt64) throws(OverlayError) -> Sending? {
        if let limit = settings.sizeLimit, size > limit {
            throw OverlayError(
                .notSupported,
                "The paper has \(size) bytes, more than \(BibDeskSettings.Key.sizeLimit) allows.",
                subject: item.name)
        }
        var wanted = item.book
        if wanted.title?.isEmpty ?? true { wanted.title = Self.stem(item.name) }
        let collections = (options.collections ?? []) + (item.book.collections ?? [])
        let time = now
        if let known = reference(wanted) {
            if let file = known.firstPaper?.file {
                guard options.onConflict != .protect else { return nil }
                return Sending(
                    place: file.path, outcome: options.onConflict == .replace ? .replaced : .updated)
            }
            let place = known.papers.first { $0.place?.fileExtension == Self.fileExtension(item.name) }?.place
            if let place { return Sending(place: place, outcome: .updated) }
            let new = try free(wanted, item, size)
            try link(new, to: known.entry)
            return Sending(place: new, outcome: .updated, isNew: isFree(new))
        }
        let place = try free(wanted, item, size)
        let key = newKey(wanted)
        var changed = document
        var fields = EntryEditor.fields(wanted, over: Book()) { _ in false }
            .compactMap { field in field.value.map { (name: field.name, value: $0) } }
        for name in ["date-added", "date-modified"] {
            fields.append((name, BibTeXValue(BibTeXMoment(seconds: time).text)))
        }
        let path = list.device.finder.places.link(to: place, in: library.path)
        fields.append(("bdsk-file-1", BibTeXValue(FileLink(path: path).value)))
        guard changed.add(changed.entry(type: "book", key: key, fields: fields)) != nil else {
            throw OverlayError(
                .rejected, "No entry can be made of the paper's metadata.", subject: item.name)
        }
        try ChangedLibraries.regroup(key, add: collections, remove: [], in: &changed)
        document = changed
        keys.insert(key.lowercased())
        return Sending(place: place, outcome: .added, isNew: isFree(place))
    }

    private func isFree(_ place: ShelfPath) -> Bool { list.device.finder.papers.file(at: place) == nil }

    /// The reference for the same work in this library; nil if there is none.
    private func reference(_ wanted: Book) -> ReferenceBook? {
        let title = BookSimilarity.compared(wanted.title ?? "")
        return references[title]?.first { known in
            let book = known.book(collections: [], withFields: false)
            let authors = book.authors == ["Unknown"] ? nil : book.authors
            let similarity = BookSimilarity(
                title: wanted.title ?? "", authors: wanted.authors,
                Book(title: wanted.title, authors: authors))
            return similarity != .none
        }
    }

    private mutating func link(_ place: ShelfPath, to entry: Int) throws(OverlayError) {
        let path = list.device.finder.places.link(to: place, in: library.path)
        let named = document
        let isDone = document.change(entry) { block in
            BibTeXDocument.setting(
                block.linkedFiles + [FileLink(path: path)], of: block, named: { named.fieldName($0) })
        }
        guard isDone else {
            throw OverlayError(
                .rejected, "The entry cannot be changed because a part of it cannot be read.",
                subject: document.blocks[entry].key, hint: "Correct the entry in BibDesk on a Mac.")
        }
    }

    /// A free place for a paper, or the place of the same file that an interrupted upload left.
    private mutating func free(_ wanted: Book, _ item: UploadItem, _ size: UInt64) throws(OverlayError)
        -> ShelfPath
    {
        let folder = list.device.finder.places.folder(of: library.path)
        let title = wanted.title ?? Self.stem(item.name)
        let fileExtension = Self.fileExtension(item.name)
        if let plain = ShelfPath(folder, BookName.file(title, fileExtension: fileExtension)),
            let left = list.device.finder.papers.file(at: plain), left.size == size,
            !linked.contains(plain.text)
        {
            return plain
        }
        guard let place = taken.takeFree(title, in: folder, fileExtension: fileExtension) else {
            throw OverlayError(.invalidArgument, "The paper's title is too long.", subject: item.name)
        }
        return place
    }

    private func newKey(_ book: Book) -> String {
        let author = book.authors?.first.map { PersonName(parsing: $0).last } ?? ""
        let year = BibTeXDate(year: "", month: "", date: book.pubdate ?? "")?.year
        return CiteKey.unused(author: author, year: year) { keys.contains($0.lowercased()) }
    }

    private static func stem(_ name: String) -> String { ShelfPath(nil, name)?.stem ?? name }

    private static func fileExtension(_ name: String) -> String { ShelfPath(nil, name)?.fileExtension ?? "" }
}
