import BookModel
import Platform

/// What a backup does with one book.
public enum BackupAction: String, Sendable, CaseIterable {
    /// Copies the book's file, and writes down what is known of it.
    case fetch
    /// Writes down metadata, annotations or cover anew, without copying the file.
    case update
    /// Leaves everything as it is.
    case keep
    /// Keeps the copy of a book that the device no longer has.
    case gone
}

/// One row of the plan of a backup.
public struct BackupPlanRow: Sendable, Equatable {
    /// What is done.
    public var action: BackupAction
    /// Where the book is on the device, or was.
    public var path: String
    /// Its title.
    public var title: String?
    /// Its folder in the backup of the app.
    public var folder: String
    /// Why, one sentence; nil where the action says it all.
    public var reason: String?
    /// Bytes that are copied, as far as they are known.
    public var bytes: UInt64
}

/// What has been made of a book as the device lists it.
package struct BackupDescription: Sendable {
    /// Changes with everything that metadata and annotations say.
    package var mark: String
    /// Harmless names for its folder.
    package var author: String
    package var title: String

    package init(mark: String, author: String, title: String) {
        (self.mark, self.author, self.title) = (mark, author, title)
    }
}

/// A row of the plan, and what carrying it out needs.
package struct BackupStep: Sendable {
    package var row: BackupPlanRow
    /// The place of the book in the device's list; nil if it is gone.
    package var book: Int?
    /// The place of its entry in the manifest; nil if it has none.
    package var entry: Int?
    /// Changes with everything that metadata and annotations of the book say; empty where nothing is written.
    package var mark = ""
    /// Whether a copy is not whole, and the device does not give the file to copy it anew.
    package var isLost = false
    /// Whether the book itself is copied.
    package var copiesBook = false
    /// Its further papers that are copied.
    package var papers: [BackupPaper] = []
}

/// Decides what a backup does, from what the device lists, what the manifest says, and what is on the disk. A pure function.
///
/// A book is copied if it is new, if the device lists another size, time or content than it did, or if its copy is missing. A
/// book that moved on the device is still the same book. A path that has another book now is two books: the former one is gone.
package struct BackupPlanner {
    private let entries: [BackupEntry]
    private let isWhole: (BackupEntry, BackupFile) -> Bool
    /// The entry of the book that is at a path comes first, then those of former ones, the newest first.
    private var byPath: [ExactText: [Int]] = [:]
    private var byContent: [String: [Int]] = [:]
    private var byUUID: [String: [Int]] = [:]
    private var claimed: Set<Int> = []

    /// The plan: the books of the device in their order, then those that are gone.
    ///
    /// - Parameters:
    ///   - describe: what has been made of a book, by its place; asked once for each, because a library may be large.
    ///   - copies: whether the app gives files away; if not, only what is known of the books is kept.
    ///   - hasFile: whether the device may have the file of a book, by its place; if not, only what is known of the book is kept.
    ///   - papers: the further papers of a book on the device, by its place.
    ///   - isWhole: whether a file of an entry is on the disk with the size it had.
    ///   - isFree: whether nothing is in a folder that no entry has.
    ///   - namesLost: whether damaged copies of books that are gone are named.
    package static func plan(
        _ books: some RandomAccessCollection<Book>, _ manifest: BackupManifest,
        describe: (Int) -> BackupDescription, copies: Bool = true,
        hasFile: (Int) -> Bool = { _ in true },
        papers: (Int) -> [BackupPaper] = { _ in [] },
        isWhole: @escaping (BackupEntry, BackupFile) -> Bool = { _, _ in true },
        isFree: (String) -> Bool = { _ in true }, namesLost: Bool = false
    ) -> [BackupStep] {
        var planner = BackupPlanner(manifest.entries, isWhole)
        return planner.plan(books, describe, copies: copies, hasFile, papers, isFree, namesLost: namesLost)
    }

    private init(_ entries: [BackupEntry], _ isWhole: @escaping (BackupEntry, BackupFile) -> Bool) {
        (self.entries, self.isWhole) = (entries, isWhole)
        for (place, entry) in entries.enumerated() {
            byPath[ExactText(entry.path), default: []].append(place)
        }
        for (path, places) in byPath where places.count > 1 {
            byPath[path] = places.sorted { one, other in
                (entries[one].goneSince ?? .max, one) > (entries[other].goneSince ?? .max, other)
            }
        }
        for (place, entry) in entries.enumerated() {
            if let content = entry.contentID { byContent[content, default: []].append(place) }
            if let uuid = entry.uuid, !uuid.isEmpty { byUUID[uuid.lowercased(), default: []].append(place) }
        }
    }

    private mutating func plan(
        _ books: some RandomAccessCollection<Book>, _ describe: (Int) -> BackupDescription, copies: Bool,
        _ hasFile: (Int) -> Bool, _ papers: (Int) -> [BackupPaper], _ isFree: (String) -> Bool,
        namesLost: Bool
    ) -> [BackupStep] {
        var places = books.map { book -> Int? in
            let fitting = (byPath[ExactText(book.path ?? "")] ?? []).filter { place in
                !claimed.contains(place) && !isOther(entries[place], book)
            }
            // A former book that is back as it was goes before one whose file would have changed.
            let place = fitting.first { !isOtherFile(entries[$0], book) } ?? fitting.first
            if let place { claimed.insert(place) }
            return place
        }
        // What has the content is the book rather than what has the uuid.
        for (index, book) in books.enumerated() where places[index] == nil {
            places[index] = book.contentID.flatMap { moved(byContent[$0]) { _ in true } }
        }
        for (index, book) in books.enumerated() where places[index] == nil {
            places[index] = book.uuid.flatMap { uuid in
                moved(byUUID[uuid.lowercased()]) { entry in
                    entry.size != nil && entry.size == book.size
                        && !Self.differs(entry.dateAdded, book.dateAdded)
                }
            }
        }
        var names = BackupNames()
        for entry in entries { names.insert(entry.folder) }
        var steps: [BackupStep] = []
        steps.reserveCapacity(books.count)
        for (index, book) in books.enumerated() {
            let entry = places[index].map { entries[$0] }
            let description = describe(index)
            let folder =
                entry?.folder ?? names.folder(author: description.author, title: description.title, isFree)
            let copiesFiles = copies && hasFile(index)
            let lacking = copiesFiles ? papers(index).filter { isLacking($0, entry) } : []
            var (action, reason) = decide(book, description.mark, entry, copies: copiesFiles)
            let copiesBook = action == .fetch
            if !lacking.isEmpty, !copiesBook { (action, reason) = (.fetch, "It has a new or changed paper.") }
            if action == .update, entry == nil, !hasFile(index) {
                reason = "Its file is not on the device, so only its metadata is kept."
            }
            let bytes = lacking.reduce(copiesBook ? book.size ?? 0 : 0) { $0 &+ ($1.size ?? 0) }
            let row = BackupPlanRow(
                action: action, path: book.path ?? "", title: book.title, folder: folder, reason: reason,
                bytes: bytes)
            var step = BackupStep(
                row: row, book: index, entry: places[index],
                mark: action == .keep ? "" : description.mark, copiesBook: copiesBook, papers: lacking)
            step.isLost = namesLost && entry.map { losesFile($0, step) } ?? false
            steps.append(step)
        }
        for (place, entry) in entries.enumerated() where !claimed.contains(place) {
            steps.append(gone(place, entry, namesLost: namesLost))
        }
        return steps
    }

    /// Whether a book or paper that is missing or damaged in the backup is not copied anew.
    private func losesFile(_ entry: BackupEntry, _ step: BackupStep) -> Bool {
        entry.files.contains { file in
            switch file.role {
            case .book: !step.copiesBook && !isWhole(entry, file)
            case .paper: !step.papers.contains { $0.path == file.paper?.path } && !isWhole(entry, file)
            default: false
            }
        }
    }

    private func gone(_ place: Int, _ entry: BackupEntry, namesLost: Bool) -> BackupStep {
        var reason = entry.goneSince == nil ? "It is no longer on the device." : nil
        let isLost = namesLost && !entry.files.allSatisfy { isWhole(entry, $0) }
        if isLost { reason = "Its copy is missing or damaged, and it is no longer on the device." }
        let row = BackupPlanRow(
            action: .gone, path: entry.path, title: entry.title, folder: entry.folder, reason: reason,
            bytes: 0)
        return BackupStep(row: row, entry: place, isLost: isLost)
    }

    /// Whether another book is at the path of an entry now: one with another uuid; or, without uuids, another file of a book that was
    /// gone, or another file, title and authors. The copy of a book that was gone is kept unless the same file is back.
    private func isOther(_ entry: BackupEntry, _ book: Book) -> Bool {
        if let one = entry.contentID, let other = book.contentID, one == other { return false }
        if let one = entry.uuid, let other = book.uuid { return one.lowercased() != other.lowercased() }
        guard isOtherFile(entry, book) else { return false }
        return entry.goneSince != nil
            || (Self.differs(entry.title, book.title) && Self.differs(entry.authors, book.authors))
    }

    private func isOtherFile(_ entry: BackupEntry, _ book: Book) -> Bool {
        Self.differs(entry.contentID, book.contentID) || Self.differs(entry.size, book.size)
            || Self.differs(entry.dateAdded, book.dateAdded)
    }

    /// The only entry that fits a book which was at another path; the device does not list that path any more.
    private mutating func moved(_ places: [Int]?, _ fits: (BackupEntry) -> Bool) -> Int? {
        let free = (places ?? []).filter { !claimed.contains($0) && fits(entries[$0]) }
        guard free.count == 1, let found = free.first else { return nil }
        claimed.insert(found)
        return found
    }

    /// Whether there is no copy of a paper as the device lists it.
    private func isLacking(_ paper: BackupPaper, _ entry: BackupEntry?) -> Bool {
        guard let entry, let copy = entry.copy(ofPaper: paper.path) else { return true }
        return copy.paper?.mark != paper.mark || !isWhole(entry, copy)
    }

    private func decide(
        _ book: Book, _ mark: String, _ entry: BackupEntry?, copies: Bool
    ) -> (BackupAction, reason: String?) {
        guard let entry else { return (copies ? .fetch : .update, nil) }
        if copies, let reason = reasonToCopy(book, entry) { return (.fetch, reason) }
        if entry.mark != mark { return (.update, "Its metadata or annotations changed.") }
        if entry.coverMark != BackupEntry.coverMark(of: book) { return (.update, "Its cover changed.") }
        let isComplete = BackupFile.Role.allCases.allSatisfy { role in
            role == .book || role == .paper
                || (entry[role].map { isWhole(entry, $0) } ?? (role != .metadata))
        }
        return isComplete ? (.keep, nil) : (.update, "A file of the backup is missing or damaged.")
    }

    private func reasonToCopy(_ book: Book, _ entry: BackupEntry) -> String? {
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

    /// Whether two values are known and not the same.
    private static func differs<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
        guard let one, let other else { return false }
        return one != other
    }
}
