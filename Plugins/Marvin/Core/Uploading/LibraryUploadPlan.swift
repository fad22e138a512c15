import BookFolders
import MarvinCommands
import OverlayKit
import Platform
import UploadPlanning

/// Turns the decisions about an upload into Marvin's commands.
struct LibraryUploadPlan {
    /// Whether the new collections of an updated book are added to its present ones, or replace them.
    static let mergePreference = "marvin_merge_collections"

    /// What happens to an item.
    enum Step {
        /// Send the book; `insteadOf` is an earlier item of the upload with another edition of it.
        case send(LibraryUpload, insteadOf: Int? = nil)
        /// Change only the library's record of a book.
        case change(BookChange)
        /// The book is already in the library and is left unchanged.
        case present(LibraryBook, MatchRule)
        /// The item is the same book as an earlier item and gets the same outcome; the message gives the reason.
        case same(as: Int, message: String)
        /// Nothing more needs to be done; the row gives the reason.
        case row(ItemResult)
    }

    private let evidence: LibraryEvidence
    private let options: UploadOptions
    private let place: UploadDestination
    private let merges: Bool
    private let isNewCover: (String, LibraryBook) -> Bool
    private var planner: UploadPlanner<[UInt8]>
    /// The upload for each item that is sent.
    private var sent: [Int: LibraryUpload] = [:]
    /// The names that these use, in lower case.
    private var taken: Set<[UInt8]> = []

    /// - Parameters:
    ///   - books: what is known about all items.
    ///   - evidence: Marvin's present books.
    ///   - place: the destination.
    ///   - merges: the value of the preference.
    ///   - log: gets a line for each item with the rule that decided.
    ///   - isNewCover: returns whether a book does not have the image with this MD5.
    init(
        _ options: UploadOptions, of books: [Book], _ evidence: LibraryEvidence,
        place: UploadDestination = .library,
        merges: Bool = true, log: LogService? = nil,
        isNewCover: @escaping (String, LibraryBook) -> Bool = { _, _ in true }
    ) {
        self.options = options
        self.evidence = evidence
        self.place = place
        self.merges = merges
        self.isNewCover = isNewCover
        planner = UploadPlanner(
            place.policy, options, of: books, MatchLog(log, category: "marvin", place: place.phrase))
    }

    /// The step for one item. Ask for the items in order.
    ///
    /// - Parameter size: the size of the item's file in bytes.
    mutating func step(_ index: Int, _ item: UploadItem, size: UInt64) throws(OverlayError) -> Step {
        guard let uuid = item.book.uuid, Self.isUsable(uuid) else {
            return .row(
                .failed(
                    index,
                    OverlayError(
                        .invalidArgument, "The book's identifier cannot be used in a file name.",
                        subject: item.book.uuid)))
        }
        evidence.take(item, size: size, index)
        let incoming = IncomingBook(
            index: index, name: item.name, uuid: uuid.lowercased(), content: item.book.contentID ?? uuid,
            title: item.book.title, authors: item.book.authors ?? [], replacedPath: item.book.path)
        switch try planner.decide(incoming, evidence) {
        case .send(.new, let remarks): return send(index, item, size, uuid, nil, remarks)
        case .send(.present(let present), let remarks):
            return send(index, item, size, uuid, evidence.book(present.key), remarks)
        case .send(.earlier(let earlier), let remarks):
            guard let old = sent.removeValue(forKey: earlier) else {
                return .same(as: earlier, message: DuplicateMessages.sameBook)
            }
            taken.remove(old.name.lowercased().bytes)
            return send(index, item, size, uuid, old.present, remarks, insteadOf: earlier)
        case .update(let present, let remark):
            guard let book = evidence.book(present.key) else { break }
            return updated(index, item, book, remark)
        case .refresh(let present):
            guard let book = evidence.book(present.key) else { break }
            return updated(index, item, book, nil)
        case .same(let first, let message): return .same(as: first, message: message)
        case .skip(let present, let rule):
            guard let book = evidence.book(present.key) else { break }
            return .present(book, rule)
        case .skipAmbiguous(let books, let message):
            let collections = books.flatMap { evidence.book($0.key)?.collections ?? [] }
            return .row(
                .done(index, .skipped, path: books.first?.path, message: message + notPut(into: collections)))
        case .fail(let error, let present): return .row(.failed(index, error, path: present?.path))
        }
        return .row(.failed(index, OverlayError(.failed, "The book is no longer in the library.")))
    }

    /// - Parameter present: the book of the library to replace.
    private mutating func send(
        _ index: Int, _ item: UploadItem, _ size: UInt64, _ uuid: String, _ present: LibraryBook?,
        _ remarks: [String], insteadOf earlier: Int? = nil
    ) -> Step {
        if let present, present.unread.union(present.cut).contains(.collections) {
            return .row(
                .failed(
                    index,
                    OverlayError(
                        .notSupported,
                        "Cannot read the book's collections in Marvin's library. A new copy would lose "
                            + "them.",
                        hint: "Delete the book first if you do not need its collections."),
                    path: present.fileName))
        }
        // A book that was added in another way keeps its file name. With a new name, Marvin would have the book
        // twice.
        let own = present.map(\.fileName).flatMap { $0.lowercased().hasSuffix(".epub") ? $0 : nil }
        let name = own ?? freeName(uuid, item.book.contentID)
        let isSameFile = present.map { $0.fileName.bytes == name.bytes } ?? false
        let planned = LibraryUpload(
            index: index, file: item.file, name: name, replaces: isSameFile,
            supersedes: isSameFile ? nil : present, asked: asked(item.book), present: present,
            silent: present.map(item.book.silent) ?? [], size: size,
            uuid: uuid, isLocked: item.book.isLocked, wordCount: item.book.wordCount, remarks: remarks)
        sent[index] = planned
        taken.insert(name.lowercased().bytes)
        return .send(planned, insteadOf: earlier)
    }

    /// The file name of a new book: its UUID, or the id of its content if another book has that UUID.
    private func freeName(_ uuid: String, _ contentID: String?) -> String {
        let stems = [uuid] + [contentID].compactMap { $0 }.filter(Self.isUsable)
        let numbered = (2...).lazy.map { "\(stems.last ?? uuid)-\($0)" }
        for stem in stems where isFree(stem) { return stem + ".epub" }
        return (numbered.first { isFree($0) } ?? uuid) + ".epub"
    }

    private func isFree(_ stem: String) -> Bool {
        let name = stem + ".epub"
        return !taken.contains(name.lowercased().bytes) && !evidence.hasFile(name)
    }

    /// The change that updates the library's book to the host's metadata; the file and its name stay.
    private func updated(
        _ index: Int, _ item: UploadItem, _ present: LibraryBook, _ remark: String?
    ) -> Step {
        var wanted = item.book
        wanted.collections = updatedCollections(item.book, present)
        // A file without a title does not remove one.
        wanted.title = wanted.title.flatMap(BookChange.carried)
        do throws(OverlayError) {
            var change = try BookChange(index, present, wanted: wanted) { isNewCover($0, present) }
            change.remark = remark
            try change.identify(as: item.book)
            guard change.isEmpty else { return .change(change) }
            return .row(
                .done(
                    index, .skipped, path: present.fileName,
                    message: "The book is already in Marvin's library, unchanged."))
        } catch {
            return .row(.failed(index, error, path: present.fileName))
        }
    }

    /// The row of a book that is already in the library and is left unchanged.
    ///
    /// - Parameters:
    ///   - rule: the rule that found it.
    ///   - isOther: whether its file is known to have other content.
    func skipped(_ index: Int, _ present: LibraryBook, _ rule: MatchRule, isOther: Bool) -> ItemResult {
        let sentence = DuplicateMessages.sentence(
            place.phrase, isOther: isOther, canReplace: place == .library,
            title: rule == .uuidAlone ? present.title : nil)
        return .done(
            index, .skipped, path: present.fileName, message: sentence + notPut(into: present.collections))
    }

    /// The message about requested collections that do not contain a book that is left unchanged.
    private func notPut(into present: [String]) -> String {
        let there = Set(present.map { $0.lowercased() })
        let names = BookChange.collections(options.collections ?? []).filter {
            !there.contains($0.lowercased())
        }
        guard !names.isEmpty else { return "" }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let way = place == .library ? ". To add it, use 'overlayhost collections --add'" : ""
        return " It was not added to \(list)\(way)."
    }

    /// Whether all characters are letters, digits, `-` or `_`. Only these may be in a staged file's name.
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

    /// How an update changes the collections: not at all if none are requested; otherwise the new ones are added, or
    /// replace all but the flags.
    private func updatedCollections(_ book: Book, _ present: LibraryBook) -> [String] {
        let asked = asked(book)
        guard !asked.isEmpty else { return present.collections }
        let kept =
            merges ? present.collections : present.collections.filter { LibraryFlag(rawValue: $0) != nil }
        return asked + kept
    }

    /// The collections that the user names, with flags in Marvin's spelling, and those from a library's column. Only
    /// the user sets flags.
    private func asked(_ book: Book) -> [String] {
        let own = (book.collections ?? []).map { $0.trimmed(of: \.isWhitespace) }
            .filter { LibraryFlag(rawValue: $0.uppercased()) == nil }
        return BookChange.collections((options.collections ?? []) + own)
    }
}

/// Where an upload goes, and with which books it is compared.
enum UploadDestination {
    /// Marvin's library, which Marvin changes on command.
    case library
    /// The documents, which are never changed.
    case documents

    /// A phrase such as `in Marvin's library`.
    var phrase: String {
        switch self {
        case .library: "in Marvin's library"
        case .documents: "in Marvin's documents"
        }
    }

    /// What can be done with existing books.
    var policy: UploadPolicy {
        UploadPolicy(
            app: "Marvin", place: phrase, comparesContentFirst: false, update: .changesMetadata,
            refreshesSameContent: false, titleAloneReplaces: false,
            rules: "its uuid, its content, or its title and authors",
            refusal: self == .library ? nil : Self.unchangeable)
    }

    private static let unchangeable = OverlayError(
        .notSupported,
        "The book is already in Marvin's documents and was skipped. Only the documents are accessible, and "
            + "Marvin's library would not notice the change.",
        hint: MarvinHint.container)
}
