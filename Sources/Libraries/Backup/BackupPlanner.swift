import BookModel
import Platform

/// The action of a backup for one book.
///
/// ```swift
/// func bytesToCopy(_ plan: [BackupPlanRow]) -> UInt64 {
///     plan.filter { $0.action == .fetch }.map(\.bytes).reduce(0, +)
/// }
/// ```
public enum BackupAction: String, Sendable, CaseIterable {
    /// Copies the book's file and records its metadata.
    case fetch
    /// Updates metadata, annotations or cover without copying the file.
    case update
    /// Leaves everything unchanged.
    case keep
    /// Keeps the copy of a book that the device no longer has.
    case gone
}

/// One row of the plan of a backup.
///
/// ```swift
/// func preview(_ session: HostSession, in folder: String) throws {
///     for row in try session.backup(BackupRequest(folder: folder, isDryRun: true)).plan {
///         print(row.action, row.title ?? row.path, row.bytes, row.reason ?? "")
///     }
/// }
/// ```
public struct BackupPlanRow: Sendable, Equatable {
    /// The action.
    public var action: BackupAction
    /// The path of the book on the device; the last known one if the book is gone.
    public var path: String
    /// The title of the book.
    public var title: String?
    /// The folder of the book in the backup of the app.
    public var folder: String
    /// The reason, as one sentence; nil if the action needs none.
    public var reason: String?
    /// The number of bytes to copy, as far as known.
    public var bytes: UInt64
}

/// The values that a backup derives from a book as listed by the device.
package struct BackupDescription: Sendable {
    /// A text that changes with the metadata.
    package var mark: String
    package var annotations: BackupAnnotations
    /// Valid names for the folder of the book.
    package var author: String
    package var title: String

    package init(mark: String, annotations: BackupAnnotations = .absent, author: String, title: String) {
        (self.mark, self.annotations, self.author, self.title) = (mark, annotations, author, title)
    }
}

/// A row of the plan, with the values needed to carry it out.
package struct BackupStep: Sendable {
    package var row: BackupPlanRow
    /// The index of the book in the device's list; nil if the book is gone.
    package var book: Int?
    /// The index of the book's entry in the manifest; nil if it has none.
    package var entry: Int?
    /// A text that changes with the metadata and annotations of the book; empty if nothing is written.
    package var mark = ""
    /// Where the annotations of the book are taken from.
    package var annotations = BackupAnnotations.Source.app
    /// Whether a copy is missing or damaged and the device cannot provide the file again.
    package var isLost = false
    /// Whether the file of the book is copied.
    package var copiesBook = false
    /// The additional papers to copy.
    package var papers: [BackupPaper] = []
}

/// Decides what a backup does, from the device's list, the manifest, and the files on disk. A pure function.
///
/// A book is copied if it is new, if its listed size, time or content changed, or if its copy is missing. A book that
/// moved on the device counts as the same book. If a book that may be another one has the path of an earlier one, the
/// earlier book is gone.
package struct BackupPlanner {
    private let entries: [BackupEntry]
    private let isWhole: (BackupEntry, BackupFile) -> Bool

    /// Returns the plan: the books on the device in their order, then the books that are gone.
    ///
    /// - Parameters:
    ///   - describe: returns the values derived from a book, given its index; called once for each book, because a
    ///     library may be large.
    ///   - copies: whether the app provides files; if not, the backup only has metadata.
    ///   - hasFile: whether the device may have the file of a book, given its index; if not, the backup only has
    ///     metadata.
    ///   - papers: returns the additional papers of a book on the device, given its index.
    ///   - isWhole: whether a file of an entry is on disk with its recorded size.
    ///   - isFree: whether a folder that does not belong to an entry is empty.
    ///   - namesLost: whether to report damaged copies of books that are gone.
    package static func plan(
        _ books: some RandomAccessCollection<Book>, _ manifest: BackupManifest,
        describe: (Int) -> BackupDescription, copies: Bool = true,
        hasFile: (Int) -> Bool = { _ in true },
        papers: (Int) -> [BackupPaper] = { _ in [] },
        isWhole: @escaping (BackupEntry, BackupFile) -> Bool = { _, _ in true },
        isFree: (String) -> Bool = { _ in true }, namesLost: Bool = false
    ) -> [BackupStep] {
        let planner = BackupPlanner(manifest.entries, isWhole)
        return planner.plan(books, describe, copies: copies, hasFile, papers, isFree, namesLost: namesLost)
    }

    private init(_ entries: [BackupEntry], _ isWhole: @escaping (BackupEntry, BackupFile) -> Bool) {
        (self.entries, self.isWhole) = (entries, isWhole)
    }

    private func plan(
        _ books: some RandomAccessCollection<Book>, _ describe: (Int) -> BackupDescription, copies: Bool,
        _ hasFile: (Int) -> Bool, _ papers: (Int) -> [BackupPaper], _ isFree: (String) -> Bool,
        namesLost: Bool
    ) -> [BackupStep] {
        var matcher = BackupMatcher(entries)
        let places = matcher.places(of: books)
        var names: BackupNames?
        var steps: [BackupStep] = []
        steps.reserveCapacity(books.count)
        for (index, book) in books.enumerated() {
            let entry = places[index].map { entries[$0] }
            let description = describe(index)
            let folder =
                entry?.folder ?? newFolder(for: description, &names, isFree)
            let copiesFiles = copies && hasFile(index)
            let lacking = copiesFiles ? papers(index).filter { isLacking($0, entry) } : []
            let (copiesBook, reasonToCopy) = copiesFiles ? reasonToCopy(book, entry) : (false, nil)
            let annotations = description.annotations
            let saved = SavedAnnotations(entry?.mark)
            let expected = annotations.expected(after: saved, copies: copiesBook)
            let mark = expected.mark(description.mark)
            let keepsAnnotations = annotations.keep(saved)
            var (action, reason) =
                copiesBook
                ? (.fetch, reasonToCopy) : decide(book, mark, entry, keepsAnnotations: keepsAnnotations)
            let source: BackupAnnotations.Source =
                switch annotations {
                case .absent, .listed: .app
                case .unread: .unknown
                case .inCopy:
                    copiesBook || expected != saved || action == .update && losesAnnotations(entry)
                        ? .copy : .backup
                }
            if action == .update, source == .copy, expected != saved, saved.mark(mark) == entry?.mark {
                reason = "The highlights in its copy are read."
            }
            if !lacking.isEmpty, !copiesBook { (action, reason) = (.fetch, "It has a new or changed paper.") }
            if action == .update, entry == nil, !hasFile(index) {
                reason = "Its file is not on the device, so only its metadata is kept."
            }
            let bytes = lacking.reduce(copiesBook ? book.size ?? 0 : 0) { $0 &+ ($1.size ?? 0) }
            let row = BackupPlanRow(
                action: action, path: Self.text(book.path ?? "", like: entry?.path),
                title: book.title.map { Self.text($0, like: entry?.title) }, folder: folder, reason: reason,
                bytes: bytes)
            var step = BackupStep(
                row: row, book: index, entry: places[index],
                mark: action == .keep ? "" : mark, annotations: source, copiesBook: copiesBook,
                papers: lacking)
            step.isLost =
                namesLost
                && entry.map { losesFile($0, step, keepsAnnotations: keepsAnnotations) } ?? false
            steps.append(step)
        }
        for (place, entry) in entries.enumerated() where !matcher.claimed.contains(place) {
            steps.append(gone(place, entry, namesLost: namesLost))
        }
        return steps
    }

    /// The folder of a new book.
    ///
    /// - Parameter names: the names that are taken; nil before the first new book.
    private func newFolder(
        for description: BackupDescription, _ names: inout BackupNames?, _ isFree: (String) -> Bool
    ) -> String {
        var taken = names ?? BackupNames(entries.lazy.map(\.folder))
        names = nil
        defer { names = taken }
        return taken.folder(author: description.author, title: description.title, isFree)
    }

    /// Whether a missing or damaged file of the backup will be neither copied nor written again.
    private func losesFile(_ entry: BackupEntry, _ step: BackupStep, keepsAnnotations: Bool) -> Bool {
        entry.files.contains { file in
            switch file.role {
            case .book: !step.copiesBook && !isWhole(entry, file)
            case .paper: !step.papers.contains { $0.path == file.paper?.path } && !isWhole(entry, file)
            case .highlights, .annotations: keepsAnnotations && !isWhole(entry, file)
            case .earlierHighlights: !isWhole(entry, file)
            case .metadata, .cover: false
            }
        }
    }

    /// Whether a file of annotations is missing or damaged.
    private func losesAnnotations(_ entry: BackupEntry?) -> Bool {
        guard let entry, entry.hasAnnotations else { return false }
        return [.highlights, .annotations].contains { role in
            entry[role].map { !isWhole(entry, $0) } ?? true
        }
    }

    private func gone(_ place: Int, _ entry: BackupEntry, namesLost: Bool) -> BackupStep {
        var reason = entry.goneSince == nil ? "It is no longer on the device." : nil
        let damaged = namesLost ? entry.files.filter { !isWhole(entry, $0) } : []
        let lost = damaged.first { $0.role == .book } ?? damaged.first
        if let lost {
            reason =
                lost.role == .book
                ? "Its copy is missing or damaged, and it is no longer on the device."
                : "Its file '\(lost.name)' is missing or damaged, and the book is no longer on the device."
        }
        let row = BackupPlanRow(
            action: .gone, path: entry.path, title: entry.title, folder: entry.folder, reason: reason,
            bytes: 0)
        return BackupStep(row: row, entry: place, isLost: lost != nil)
    }

    /// Whether the backup does not have a copy of a paper as the device lists it.
    private func isLacking(_ paper: BackupPaper, _ entry: BackupEntry?) -> Bool {
        guard let entry, let copy = entry.copy(ofPaper: paper.path) else { return true }
        return copy.paper?.mark != paper.mark || !isWhole(entry, copy)
    }

    private func decide(
        _ book: Book, _ mark: String, _ entry: BackupEntry?, keepsAnnotations: Bool
    ) -> (BackupAction, reason: String?) {
        guard let entry else { return (.update, nil) }
        if entry.mark != mark { return (.update, "Its metadata or annotations changed.") }
        if entry.coverMark != BackupEntry.coverMark(of: book) { return (.update, "Its cover changed.") }
        let isComplete = BackupFile.Role.allCases.allSatisfy { role in
            switch role {
            case .book, .paper, .earlierHighlights: true
            case .highlights where keepsAnnotations, .annotations where keepsAnnotations: true
            default: entry[role].map { isWhole(entry, $0) } ?? (role != .metadata)
            }
        }
        return isComplete ? (.keep, nil) : (.update, "A file of the backup is missing or damaged.")
    }

    /// Whether the file of a book is copied, and why; a new book needs no reason.
    private func reasonToCopy(_ book: Book, _ entry: BackupEntry?) -> (copies: Bool, reason: String?) {
        guard let entry else { return (true, nil) }
        let reason = reasonToCopyAgain(book, entry)
        return (reason != nil, reason)
    }

    private func reasonToCopyAgain(_ book: Book, _ entry: BackupEntry) -> String? {
        guard let copy = entry[.book] else { return "It could not be copied before." }
        guard isWhole(entry, copy) else { return "Its copy is missing or damaged." }
        let changed = "The file changed on the device."
        if let one = entry.contentID, let other = book.contentID {
            return one == other ? nil : changed
        }
        if Self.differs(entry.size, book.size) || Self.differs(entry.dateAdded, book.dateAdded) {
            return changed
        }
        let isKnown =
            (entry.size != nil && book.size != nil) || (entry.dateAdded != nil && book.dateAdded != nil)
        return isKnown ? nil : "The app does not report the file's size or date."
    }

    /// A text, as that of the entry if it is the same, so that it is not in memory twice.
    private static func text(_ text: String, like former: String?) -> String {
        guard let former, ExactText(former) == ExactText(text) else { return text }
        return former
    }

    /// Whether two values are known and different.
    private static func differs<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
        guard let one, let other else { return false }
        return one != other
    }
}
