import BookFolders
import CommandProtocol
import OverlayKit

/// Decides what is to happen with each item of an upload.
struct UploadPlanner {
    /// Whether the collections of an updated book are joined with the new ones, or replaced by them.
    static let mergePreference = "marvin_merge_collections"
    /// Where the books are that an upload is compared with.
    enum Place {
        /// In Marvin's library, which Marvin changes when it is told to.
        case library
        /// Among the documents, where what is there stays as it is.
        case documents

        var phrase: String {
            switch self {
            case .library: "in Marvin's library"
            case .documents: "among Marvin's documents"
            }
        }
    }

    private let place: Place
    private let options: UploadOptions
    private let merges: Bool
    private let matcher: BookMatcher
    private let log: MatchLog
    private let isNewCover: (String, LibraryBook) -> Bool
    /// Earlier items of the same upload by their uuids.
    private var seen: [String: Int] = [:]
    /// The same by the names that they take.
    private var taken: [[UInt8]: Earlier] = [:]
    /// Those that are sent, by what counts as the same book when the uuid and the content tell nothing.
    private var sent: [TitleAndAuthors: Earlier] = [:]

    /// An earlier item of the same upload.
    private struct Earlier {
        var index: Int
        var uuid: String
        /// The name it takes, as a key.
        var name: [UInt8]
        var named: TitleAndAuthors?
        /// The book of the library that it is.
        var present: LibraryBook?
    }

    /// - Parameters:
    ///   - library: what Marvin has now, as far as it can be seen.
    ///   - place: where that is.
    ///   - merges: what the preference says.
    ///   - log: is told for each item which rule decided.
    ///   - isNewCover: whether an image of that MD5 is another one than a book has.
    init(
        _ options: UploadOptions, library: [LibraryBook], place: Place = .library, merges: Bool = true,
        log: LogService? = nil,
        isNewCover: @escaping (String, LibraryBook) -> Bool = { _, _ in true }
    ) {
        self.options = options
        self.place = place
        self.merges = merges
        self.log = MatchLog(log, category: "marvin", place: place.phrase)
        self.isNewCover = isNewCover
        matcher = BookMatcher(library)
    }

    /// The decision for one item; items are to be asked for in their order.
    ///
    /// - Parameters:
    ///   - size: bytes of the item's file.
    ///   - content: finds a book with the item's very bytes.
    mutating func decide(
        _ index: Int, _ item: UploadItem, size: UInt64,
        content: () throws(OverlayError) -> LibraryBook? = { () throws(OverlayError) in nil }
    ) throws(OverlayError) -> UploadDecision {
        guard let uuid = item.book.uuid, Self.isUsable(uuid) else {
            return .row(
                .failed(
                    index,
                    OverlayError(
                        .invalidArgument, "The book's identifier cannot stand in a file name.",
                        subject: item.book.uuid)))
        }
        let match = try matcher.match(item.book, uuid: uuid, content: content)
        explain(item, match)
        var present: LibraryBook?
        var rule = MatchRule.name
        switch match {
        case .several(let books):
            guard place == .library else { return .present(books[0], rule) }
            return .row(ambiguous(index, books))
        case .book(let book, let found):
            (present, rule) = (book, found)
            if place == .documents { return .present(book, found) }
        case .none: break
        }
        if let first = seen[uuid] { return .same(as: first, message: AlreadyThere.sameContent) }
        let named = TitleAndAuthors(title: item.book.title, authors: item.book.authors)
        // What two uploads would do one after the other, in one: a later edition gets the place of the earlier one.
        let edition = present == nil ? named.flatMap { sent[$0] } : nil
        present = present ?? edition?.present
        // A book that came by another way keeps the name of its file, or Marvin would have it twice.
        let own = present.map(\.fileName).flatMap { $0.lowercased().hasSuffix(".epub") ? $0 : nil }
        let name = own ?? uuid + ".epub"
        let key = name.lowercased().bytes
        let first = taken[key] ?? edition
        let isReplaced = options.onConflict == .replace && place == .library
        // The library's book is there whatever becomes of the earlier item.
        if let first, !isReplaced, present == nil || options.onConflict.changes {
            return .same(as: first.index, message: AlreadyThere.earlier)
        }
        if let first, isReplaced { forget(first) }
        let entry = Earlier(index: index, uuid: uuid, name: key, named: named, present: present)
        (seen[uuid], taken[key]) = (index, entry)
        if let named, present == nil || options.onConflict.changes { sent[named] = entry }
        guard let present else {
            return .send(planned(index, item, name, size, uuid, nil), insteadOf: first?.index)
        }
        switch options.onConflict {
        case .replace:
            guard present.unread.union(present.cut).contains(.collections) else {
                return .send(planned(index, item, name, size, uuid, present), insteadOf: first?.index)
            }
            return .row(
                .failed(
                    index,
                    OverlayError(
                        .notSupported,
                        "The collections of the book in Marvin's library could not be read, and a new copy would lose them.",
                        hint: "Delete the book first if its collections do not matter."),
                    path: present.fileName))
        case .update: return try updated(index, item, present)
        default: return .present(present, rule)
        }
    }

    /// An item that gives way to a later one is nothing that a still later one could be the same as.
    private mutating func forget(_ earlier: Earlier) {
        seen[earlier.uuid] = nil
        if taken[earlier.name]?.index == earlier.index { taken[earlier.name] = nil }
        if let named = earlier.named, sent[named]?.index == earlier.index { sent[named] = nil }
    }

    private func planned(
        _ index: Int, _ item: UploadItem, _ name: String, _ size: UInt64, _ uuid: String,
        _ present: LibraryBook?
    ) -> PlannedUpload {
        let isSameFile = present.map { $0.fileName.bytes == name.bytes } ?? false
        return PlannedUpload(
            index: index, file: item.file, name: name, replaces: isSameFile,
            supersedes: isSameFile ? nil : present, asked: asked(item.book), present: present,
            silent: present.map(item.book.silent) ?? [], size: size,
            uuid: uuid, isLocked: item.book.isLocked, wordCount: item.book.wordCount)
    }

    /// The change that brings the library's book to what the host knows; the file stays, under its own name.
    private func updated(
        _ index: Int, _ item: UploadItem, _ present: LibraryBook
    ) throws(OverlayError) -> UploadDecision {
        var wanted = item.book
        wanted.collections = updatedCollections(item.book, present)
        // A file that does not tell its title takes none away.
        wanted.title = wanted.title.flatMap(BookChange.carried)
        do throws(OverlayError) {
            let change = try BookChange(index, present, wanted: wanted) { isNewCover($0, present) }
            guard change.fields.isEmpty else { return .change(change) }
            return .row(
                .done(
                    index, .skipped, path: present.fileName,
                    message: "The book is in Marvin's library, and nothing about it has changed."))
        } catch {
            return .row(.failed(index, error, path: present.fileName))
        }
    }

    /// The row of a book that is there already and left alone.
    ///
    /// - Parameter isOther: whether its file is known to have another content.
    func skipped(_ index: Int, _ present: LibraryBook, isOther: Bool) -> ItemResult {
        let sentence = AlreadyThere.sentence(place.phrase, isOther: isOther, canReplace: place == .library)
        return .done(
            index, .skipped, path: present.fileName, message: sentence + notPut(into: present.collections))
    }

    /// What is said of the asked-for collections that a book which is left alone is not in.
    private func notPut(into present: [String]) -> String {
        let there = Set(present.map { $0.lowercased() })
        let names = BookChange.collections(options.collections ?? []).filter {
            !there.contains($0.lowercased())
        }
        guard !names.isEmpty else { return "" }
        let list = names.map { "“\($0)”" }.joined(separator: ", ")
        let way = place == .library ? "; overlayhost collections --add does that" : ""
        return " It was not put into \(list)\(way)."
    }

    private func ambiguous(_ index: Int, _ books: [LibraryBook]) -> ItemResult {
        guard options.onConflict.changes else {
            let message = "\(books.count) books with this title and these authors are in Marvin's library."
            return .done(
                index, .skipped, path: books.first?.fileName,
                message: message + notPut(into: books.flatMap(\.collections)))
        }
        return .failed(
            index,
            OverlayError(
                .invalidArgument,
                "\(books.count) books with this title and these authors are in Marvin's library, and it is not certain which "
                    + "one is meant.",
                subject: books.prefix(3).map(\.fileName).joined(separator: ", "),
                hint: "Delete those that are too many, or use --on-conflict protect."))
    }

    /// Says in the log which rule decided, for a person who wonders.
    private func explain(_ item: UploadItem, _ match: BookMatcher.Match) {
        switch match {
        case .book(let book, let rule): log.found(item, rule, path: book.fileName, title: book.title)
        case .several(let books): log.several(item, paths: books.map(\.fileName))
        case .none: log.none(item, byUUID: true)
        }
    }

    /// Letters, digits, `-` and `_`: anything else has no business in the name of a staged file.
    private static func isUsable(_ uuid: String) -> Bool {
        (1...128).contains(uuid.utf8.count)
            && uuid.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// What an update does to the collections: nothing if none are asked for; else they are added, or take the place of all
    /// but the flags.
    private func updatedCollections(_ book: Book, _ present: LibraryBook) -> [String] {
        let asked = asked(book)
        guard !asked.isEmpty else { return present.collections }
        let kept =
            merges ? present.collections : present.collections.filter { LibraryFlag(rawValue: $0) != nil }
        return asked + kept
    }

    /// What the person names, and what a library's column says; flags are the person's alone.
    private func asked(_ book: Book) -> [String] {
        let own = (book.collections ?? []).map(\.trimmingSpaces)
            .filter { LibraryFlag(rawValue: $0.uppercased()) == nil }
        return ((options.collections ?? []).map(\.trimmingSpaces) + own).filter { !$0.isEmpty }
    }
}

extension ConflictPolicy {
    /// Whether a book that is there is to change.
    var changes: Bool { self == .replace || self == .update }
}
