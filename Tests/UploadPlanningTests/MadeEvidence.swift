import OverlayKit
import UploadPlanning

/// A device with given books, and the questions that it was asked.
final class MadeEvidence: UploadEvidence {
    /// A book on it.
    struct Held {
        var path: String
        var title: String?
        var authors: [String] = []
        var uuid: String?
        var content = "old"
        /// The content that was sent and has become `content` since.
        var formerly: String?
        /// nil: unknown.
        var marks: ReadingMarks? = ReadingMarks()
        var isNear = false
        var format: String?
    }

    var books: [Held]
    /// Errors of the next questions, one each. Later questions are answered.
    var failures: [OverlayStatus] = []
    private(set) var questions: [String] = []

    init(_ books: [Held] = []) { self.books = books }

    private func ask(_ question: String) throws(OverlayError) {
        questions.append(question)
        if !failures.isEmpty { throw OverlayError(failures.removeFirst(), "Cannot read the file.") }
    }

    private func present(_ book: Held) -> PresentBook<String> {
        PresentBook(book.path, path: book.path, title: book.title, authors: book.authors, format: book.format)
    }

    private func held(_ present: PresentBook<String>) -> Held {
        books.first { $0.path == present.key } ?? Held(path: "")
    }

    func book(atPath path: String) -> PresentBook<String>? { books.first { $0.path == path }.map(present) }

    func books(withUUID uuid: String) -> [PresentBook<String>] {
        books.filter { $0.uuid == uuid }.map(present)
    }

    func book(
        withContentOf book: IncomingBook, besides claimed: Set<String>
    ) throws(OverlayError) -> PresentBook<String>? {
        try ask("content")
        return books.first { $0.content == book.content && !claimed.contains($0.path) }.map(present)
    }

    func changedState(
        of book: IncomingBook, besides claimed: Set<String>
    ) throws(OverlayError) -> PresentBook<String>? {
        books.first { $0.formerly == book.content && !claimed.contains($0.path) }.map(present)
    }

    func books(namedAs book: IncomingBook) throws(OverlayError) -> [NamedBook<String>] {
        try ask("names")
        return books.filter { $0.title != nil }.compactMap { held in
            let other = Book(title: held.title, authors: held.authors)
            let similarity = BookSimilarity(title: book.title ?? "", authors: book.authors, other)
            return similarity == .none ? nil : NamedBook(present(held), similarity, isNear: held.isNear)
        }
    }

    func hasContent(_ present: PresentBook<String>, of book: IncomingBook) throws(OverlayError) -> Bool? {
        try ask("same")
        return held(present).content == book.content
    }

    func marks(
        in present: PresentBook<String>, replacedBy book: IncomingBook
    ) throws(OverlayError) -> ReadingMarks? {
        try ask("marks")
        return held(present).marks
    }
}

/// The decision of an upload, as comparable text.
func decisions(
    _ items: [IncomingBook], _ evidence: MadeEvidence, _ policy: UploadPolicy,
    _ conflict: ConflictPolicy = .protect, mayLoseMarks: Bool = false
) throws -> [String] {
    var planner = UploadPlanner<String>(
        policy, UploadOptions(onConflict: conflict, mayLoseMarks: mayLoseMarks),
        of: items.map { Book(uuid: $0.uuid, title: $0.title) },
        MatchLog(nil, category: "test", place: policy.place))
    return try items.map { item in
        switch try planner.decide(item, evidence) {
        case .send(.new, let remarks): (["add"] + remarks).joined(separator: ": ")
        case .send(.present(let book), let remarks):
            (["replace \(book.path)"] + remarks).joined(separator: ": ")
        case .send(.earlier(let index), let remarks):
            (["instead of \(index)"] + remarks).joined(separator: ": ")
        case .refresh(let book): "refresh \(book.path)"
        case .update(let book, let remark):
            (["update \(book.path)"] + [remark].compactMap { $0 }).joined(separator: ": ")
        case .same(let index, let message): "same as \(index): \(message)"
        case .skip(let book, let rule): "skip \(book.path): \(rule)"
        case .skipAmbiguous(_, let message): "skip: \(message)"
        case .fail(let error, let book): "fail \(book?.path ?? "-"): \(error.status): \(error.message)"
        }
    }
}

/// An incoming book.
func book(
    _ index: Int = 0, _ content: String = "new", title: String? = "Emma", authors: [String] = ["Jane Austen"],
    uuid: String? = nil, folder: String? = nil, format: String? = nil, replacedPath: String? = nil
) -> IncomingBook {
    IncomingBook(
        index: index, name: "\(index).epub", uuid: uuid, content: content, title: title, authors: authors,
        folder: folder, format: format, replacedPath: replacedPath)
}

extension UploadPolicy {
    /// An app whose books are files.
    static let files = UploadPolicy(
        app: "Reader", place: "in Reader", comparesContentFirst: true, update: .putsFile,
        refreshesSameContent: true, titleAloneReplaces: true, rules: "its content")
    /// An app with a library that can change the metadata of a book.
    static let library = UploadPolicy(
        app: "Reader", place: "in Reader", comparesContentFirst: false, update: .changesMetadata,
        refreshesSameContent: false,
        titleAloneReplaces: false, rules: "its uuid")
    /// An app with a library that cannot change metadata.
    static let list = UploadPolicy(
        app: "Reader", place: "in Reader", comparesContentFirst: true, update: .leavesAlone,
        refreshesSameContent: true,
        titleAloneReplaces: false, rules: "its uuid")

    /// One of each kind of app.
    static let all: [UploadPolicy] = [files, library, list]
}
