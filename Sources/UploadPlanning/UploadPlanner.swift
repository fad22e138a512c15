import OverlayKit

/// Decides what happens to each item of an upload, in the same way for every app; ``UploadPolicy`` describes the
/// differences between apps.
///
/// A book on the device is recognised by its id, then by its content, then by what the app made of its content since
/// it was sent, then by its title and an author. A file of another format is another book. One upload has the same
/// effect as several uploads one after the other, with one exception: files of one upload with the same id but
/// different titles are different books, while such a file alone cannot be told from a corrected title. If the host
/// names the book to replace, that book is meant under any name.
///
/// ```swift
/// var planner = UploadPlanner<String>(policy, options, of: items.map(\.book), log)
/// switch try planner.decide(incoming, evidence) {
/// case .send(.new, let remarks): try send(incoming, remarks)
/// case .skip(let present, _): try report(.done(incoming.index, .skipped, path: present.path))
/// // …
/// }
/// ```
public struct UploadPlanner<Key: Hashable & Sendable> {
    private let policy: UploadPolicy
    private let onConflict: ConflictPolicy
    private let mayLoseMarks: Bool
    private let log: MatchLog
    /// Earlier items of the same upload by their contents.
    private var contents: [String: Int] = [:]
    private let sharedIDs: SharedIDs
    private var earlierItems = EarlierItems<Key>()
    /// Books on the device that earlier items replace or update.
    private var claimed: Set<Key> = []

    /// Plans one upload.
    ///
    /// - Parameters:
    ///   - policy: the abilities of the app.
    ///   - options: the user's options.
    ///   - books: the facts about all items.
    ///   - log: gets a line for each item with the rule that decided.
    public init(_ policy: UploadPolicy, _ options: UploadOptions, of books: [Book], _ log: MatchLog) {
        self.policy = policy
        sharedIDs = SharedIDs(books)
        self.log = log
        onConflict = options.onConflict
        mayLoseMarks = options.mayLoseMarks
    }

    /// Whether books on the device may change.
    private var changes: Bool { onConflict == .replace || onConflict == .update }

    /// Whether a file with other content replaces the one on the device.
    private var putsFiles: Bool {
        policy.refusal == nil
            && (onConflict == .replace || onConflict == .update && policy.update == .putsFile)
    }

    /// The decision for one item. Ask for the items in order.
    ///
    /// - Throws: only what ends the running method.
    public mutating func decide(
        _ book: IncomingBook, _ evidence: some UploadEvidence<Key>
    ) throws(OverlayError) -> UploadDecision<Key> {
        if let first = contents[book.content] {
            return .same(as: first, message: DuplicateMessages.sameContent)
        }
        contents[book.content] = book.index
        do throws(OverlayError) {
            return try decision(book, evidence)
        } catch {
            if error.endsTheCall { throw error }
            return .fail(error, nil)
        }
    }

    private mutating func decision(
        _ book: IncomingBook, _ evidence: some UploadEvidence<Key>
    ) throws(OverlayError) -> UploadDecision<Key> {
        let taken = claimed
        let meant = onConflict == .replace ? book.replacedPath.flatMap { evidence.book(atPath: $0) } : nil
        if let meant, !taken.contains(meant.key), meant.hasFormat(of: book) {
            // If another copy has the content, that copy is the book.
            let copy = policy.comparesContentFirst ? try held(book, evidence).found : nil
            return try settle(book, copy?.0 ?? meant, copy?.1 ?? .named, evidence)
        }
        let owners = (book.uuid.map { evidence.books(withUUID: $0) } ?? [])
            .filter { $0.hasFormat(of: book) }
        let own = IDMatch(of: book, among: owners, taken: taken, isShared: sharedIDs.contains(book.uuid))
        if case .certain(let present) = own, !policy.comparesContentFirst, owners.count == 1 {
            return try settle(book, present, .uuid, evidence)
        }
        let (found, unread) = try held(book, evidence)
        if let (present, rule) = found { return try settle(book, present, rule, evidence) }
        if case .certain(let present) = own { return try settle(book, present, .uuid, evidence) }
        if let earlier = earlierItems.edition(of: book) { return try settle(book, earlier, evidence) }

        let named = try answerOnSecondTry { () throws(OverlayError) in try evidence.books(namedAs: book) }
            .filter { !taken.contains($0.book.key) && $0.book.hasFormat(of: book) }
        let editions = named.filter { $0.similarity == .same }
        if let near = editions.first(where: \.isNear) ?? (editions.count == 1 ? editions.first : nil) {
            return try settle(book, near.book, .name, evidence)
        }
        if let first = editions.first {
            guard policy.refusal == nil else { return try settle(book, first.book, .name, evidence) }
            return ambiguous(book, editions.map(\.book))
        }
        let namesakes = named.filter { $0.similarity == .perhaps }
        let namesake = namesakes.first(where: \.isNear) ?? namesakes.first
        if putsFiles, policy.titleAloneReplaces {
            if let namesake, namesake.isNear { return try settle(book, namesake.book, .name, evidence) }
            if let earlier = earlierItems.namesake(of: book) { return try settle(book, earlier, evidence) }
        }
        if case .retitled(let present) = own, namesake == nil {
            return try settle(book, present, .uuidAlone, evidence)
        }
        // The book that could not be read may be the same one.
        if let unread { throw unread }
        log.none(book, rules: policy.rules)
        var remarks: [String] = []
        if let namesake {
            remarks.append(try remark(on: namesake.book, book, evidence))
        } else if earlierItems.namesake(of: book) != nil {
            remarks.append(DuplicateMessages.sameTitle)
        }
        if !owners.isEmpty || earlierItems.hasUUID(of: book) { remarks.append(DuplicateMessages.sharedUUID) }
        earlierItems.take(.init(book: book, present: nil, isSent: true, isCleared: true, lost: []))
        return .send(.new, remarks: remarks)
    }

    /// The book on the device that has the content of an item, or had it when it was sent.
    ///
    /// If books on the device are not changed, unreadable content is irrelevant when the name decides.
    private func held(
        _ book: IncomingBook, _ evidence: some UploadEvidence<Key>
    ) throws(OverlayError) -> (found: (PresentBook<Key>, MatchRule)?, unread: OverlayError?) {
        do throws(OverlayError) {
            let content = try answerOnSecondTry { () throws(OverlayError) in
                try evidence.book(withContentOf: book, besides: claimed)
            }
            if let content { return ((content, .content), nil) }
            let changed = try answerOnSecondTry { () throws(OverlayError) in
                try evidence.changedState(of: book, besides: claimed)
            }
            return (changed.map { ($0, .changed) }, nil)
        } catch {
            if changes || error.endsTheCall { throw error }
            return (nil, error)
        }
    }

    /// Decides about an item that is a book on the device.
    private mutating func settle(
        _ book: IncomingBook, _ present: PresentBook<Key>, _ rule: MatchRule,
        _ evidence: some UploadEvidence<Key>
    ) throws(OverlayError) -> UploadDecision<Key> {
        log.found(book, rule, path: present.path, title: present.title)
        guard changes else { return .skip(present, rule) }
        if let refusal = policy.refusal { return .fail(refusal, present) }
        if onConflict == .update {
            switch policy.update {
            case .leavesAlone: return .skip(present, rule)
            case .changesMetadata:
                claim(book, present, isSent: false)
                let title = rule == .uuidAlone ? present.title : nil
                return .update(present, remark: title.map { DuplicateMessages.retitled(from: $0) })
            case .putsFile where rule == .content:
                claim(book, present, isSent: false)
                return .update(present, remark: nil)
            case .putsFile:
                // An update must not lose reading marks.
                guard try marks(in: present, book, evidence)?.isEmpty ?? true else {
                    return .skip(present, .changed)
                }
                claim(book, present, isSent: true, isCleared: true)
                return .send(.present(present), remarks: tookPlace(of: present, rule))
            }
        }
        var isSame = rule == .content
        if !isSame, !policy.refreshesSameContent { isSame = try self.isSame(present, book, evidence) }
        guard !isSame else {
            claim(book, present, isSent: policy.refreshesSameContent)
            return policy.refreshesSameContent ? .refresh(present) : .skip(present, .content)
        }
        let lost = try marks(in: present, book, evidence) ?? ReadingMarks()
        guard lost.isEmpty || mayLoseMarks else { return .fail(.wouldLose(lost, policy.app), present) }
        let remarks = lost.isEmpty ? [] : [DuplicateMessages.lost(lost.phrase(app: policy.app))]
        claim(book, present, isSent: true, isCleared: true, lost: remarks)
        return .send(.present(present), remarks: tookPlace(of: present, rule) + remarks)
    }

    /// The message about a book that replaces one with another title.
    private func tookPlace(of present: PresentBook<Key>, _ rule: MatchRule) -> [String] {
        rule == .uuidAlone ? present.title.map { [DuplicateMessages.tookPlace(of: $0)] } ?? [] : []
    }

    /// Decides about an item that is another edition of an earlier one.
    private mutating func settle(
        _ book: IncomingBook, _ earlier: EarlierItems<Key>.EarlierItem, _ evidence: some UploadEvidence<Key>
    ) throws(OverlayError) -> UploadDecision<Key> {
        guard putsFiles else { return .same(as: earlier.book.index, message: DuplicateMessages.earlier) }
        var remarks = earlier.lost
        if let present = earlier.present, !earlier.isCleared {
            let lost = try marks(in: present, book, evidence) ?? ReadingMarks()
            if !lost.isEmpty {
                guard onConflict == .replace else { return .skip(present, .changed) }
                guard mayLoseMarks else { return .fail(.wouldLose(lost, policy.app), present) }
                remarks.append(DuplicateMessages.lost(lost.phrase(app: policy.app)))
            }
        }
        // A later item cannot be the same as an item that has been replaced.
        if contents[earlier.book.content] == earlier.book.index { contents[earlier.book.content] = nil }
        earlierItems.forget(earlier)
        earlierItems.take(
            .init(book: book, present: earlier.present, isSent: true, isCleared: true, lost: remarks))
        guard let present = earlier.present, !earlier.isSent else {
            return .send(.earlier(earlier.book.index), remarks: remarks)
        }
        return .send(.present(present), remarks: remarks)
    }

    private mutating func claim(
        _ book: IncomingBook, _ present: PresentBook<Key>, isSent: Bool, isCleared: Bool = false,
        lost: [String] = []
    ) {
        claimed.insert(present.key)
        earlierItems.take(
            .init(book: book, present: present, isSent: isSent, isCleared: isCleared, lost: lost))
    }

    private func ambiguous(_ book: IncomingBook, _ editions: [PresentBook<Key>]) -> UploadDecision<Key> {
        let paths = editions.map(\.path)
        log.several(book, paths: paths)
        let message = "\(paths.count) books with this title and these authors are \(policy.place)"
        guard changes, onConflict == .replace || policy.update != .leavesAlone else {
            return .skipAmbiguous(editions, message: message + ".")
        }
        return .fail(
            OverlayError(
                .invalidArgument, message + ", so it is unclear which one to replace.",
                subject: paths.prefix(3).joined(separator: ", "),
                hint: "Delete the extra copies, or use --on-conflict protect.", hintKind: .protect), nil)
    }

    // MARK: - Evidence

    /// The message about a book that is added next to a book with the same title. The existing book is called
    /// superfluous only if it certainly has no marks.
    private func remark(
        on namesake: PresentBook<Key>, _ book: IncomingBook, _ evidence: some UploadEvidence<Key>
    ) throws(OverlayError) -> String {
        guard let marks = try marks(in: namesake, book, evidence) else {
            return DuplicateMessages.sameTitle(with: nil)
        }
        return marks.isEmpty
            ? DuplicateMessages.sameTitle : DuplicateMessages.sameTitle(with: marks.phrase(app: policy.app))
    }

    private func marks(
        in present: PresentBook<Key>, _ book: IncomingBook, _ evidence: some UploadEvidence<Key>
    ) throws(OverlayError) -> ReadingMarks? {
        try answerOnSecondTry { () throws(OverlayError) in try evidence.marks(in: present, replacedBy: book) }
    }

    private func isSame(
        _ present: PresentBook<Key>, _ book: IncomingBook, _ evidence: some UploadEvidence<Key>
    ) throws(OverlayError) -> Bool {
        try answerOnSecondTry { () throws(OverlayError) in try evidence.hasContent(present, of: book) }
            == true
    }
}

extension OverlayError {
    /// The error for a book that is not replaced because the user has not agreed to lose the marks of the old copy.
    static func wouldLose(_ marks: ReadingMarks, _ app: String) -> OverlayError {
        OverlayError(
            .needsConsent, "Replacing the book would lose \(marks.phrase(app: app)).",
            hint: "Use --yes to replace it anyway.", hintKind: .consent)
    }
}
