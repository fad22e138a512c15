import Diagnostics
import BookModel
import Platform

/// Decides what a sync does, from the records of the last sync, the source and the device, and nothing else.
///
/// New books in the source are added unless the device has them. Changes in the source are made on the device. If the
/// app also changed its copy, this is a conflict, which the policy may decide for one side. A book is removed only on
/// request, and only if it was sent from this source, is gone there, is not in another source, and was not changed by
/// the app.
package struct SyncPlanner {
    let policy: SyncPolicy
    let state: SyncState
    let others: Set<ExactText>
    let books: [SourceBook]
    let shelf: DeviceShelf
    var agreed: AgreedBooks
    var steps: [SyncStep] = []
    /// The records of copies whose book now has another copy on the device.
    var former: [SyncRecord] = []
    /// The step that uses a book of the device, by the index of that book.
    var holders: [Int: Int] = [:]
    /// The source's book for each book of the device. If there are several, the first is used.
    var owners: [Int: Int] = [:]
    /// The records of books whose keys are gone from the source, by their index on the device; nil before the first
    /// search.
    private var gone: [Int: SyncRecord]?
    /// The books of the device that are at the paths in their records.
    private lazy var settled = Set(state.records.values.compactMap { shelf.place(of: $0.path) })
    private var additions: PlannedAdditions
    private let sharedUUIDs: Set<String>
    private let present: Set<ExactText>
    let links: Set<ExactText>

    private init(
        _ policy: SyncPolicy, _ state: SyncState, _ others: Set<ExactText>, _ books: [SourceBook],
        _ present: Set<ExactText>, _ links: Set<ExactText>, _ shelf: DeviceShelf
    ) {
        (self.policy, self.state, self.others, self.books) = (policy, state, others, books)
        (self.shelf, self.present, self.links) = (shelf, present, links)
        agreed = AgreedBooks(
            state, present: present, stamps: { books.map { ($0.entry.key, $0.entry.stamp) } },
            keysAreNames: policy.keysAreNames)
        sharedUUIDs = Self.shared(books)
        additions = PlannedAdditions(sharedUUIDs)
    }

    /// Returns the plan: the books of the source in their order, then books that are gone from it, then books that
    /// are only on the device.
    ///
    /// - Parameters:
    ///   - state: the records of the last sync. If copies have exchanged their names on the device, their records get
    ///     the new paths.
    ///   - others: the paths on the device of books from other sources.
    ///   - books: the selected books of the source.
    ///   - present: the keys of all books in the source, including those that are not selected.
    ///   - links: the paths of symbolic links in the source. Books behind them do not count as gone.
    ///   - shelf: the books on the device.
    /// - Returns: the steps, and whether records have new paths.
    package static func plan(
        _ policy: SyncPolicy, state: inout SyncState, others: Set<ExactText> = [], books: [SourceBook],
        present: Set<ExactText>, links: Set<ExactText> = [], shelf: DeviceShelf
    ) -> (steps: [SyncStep], movesRecords: Bool) {
        var planner = SyncPlanner(policy, state, others, books, present, links, shelf)
        let steps = planner.plan()
        let exchanged = planner.exchangedPaths()
        guard !exchanged.isEmpty else { return (steps, false) }
        for (key, path) in exchanged { state.records[key]?.path = path }
        planner = SyncPlanner(policy, state, others, books, present, links, shelf)
        return (planner.plan(), true)
    }

    private mutating func plan() -> [SyncStep] {
        let records = assignRecords()
        var places: [Int?] = []
        places.reserveCapacity(books.count)
        for index in books.indices {
            places.append(records[index].flatMap { place(of: $0, books[index]) })
        }
        for (index, place) in places.enumerated() {
            guard let place else { continue }
            if owners[place].map({ records[$0]?.isOwned != true && records[index]?.isOwned == true }) ?? true
            {
                owners[place] = index
            }
        }
        // An array that doubles its capacity is in memory twice for a moment.
        steps.reserveCapacity(books.count)
        for index in books.indices {
            let step = step(index, books[index], records[index], places[index])
            if let device = step.device, holders[device] == nil { holders[device] = steps.count }
            steps.append(step)
        }
        for record in former { settle(record) }
        for key in goneKeys {
            if let record = state.records[key], !agreed.isMoved(record) { settle(record) }
        }
        if policy.deletes {
            let gone = goneKeys.compactMap { state.records[$0] }.filter { !agreed.isMoved($0) }
            nameOwnCopies(gone, besides: presentPlaces)
        }
        if policy.listsOthers { listOthers() }
        return steps
    }

    /// The sorted keys of the records whose books are gone from the source.
    private var goneKeys: [ExactText] { state.records.keys.filter { !present.contains($0) }.sorted() }

    /// The index on the device of a recorded book: at its path, or where the app moved it.
    mutating func place(of record: SyncRecord, _ book: SourceBook?) -> Int? {
        if let place = shelf.place(of: record.path) { return place }
        if let place = shelf.place(ofContent: record.copy?.contentID) { return place }
        if let place = shelf.place(ofContent: record.contentID) { return place }
        if let known = record.identity ?? book?.book,
            let place = shelf.place(
                of: known, contentID: nil, format: book?.format, sharesUUID: sharesUUID(known.uuid))
        {
            return place
        }
        // The app moved and renamed the book. If this is a different book after all, its metadata differs, and it is
        // left unchanged.
        guard record.path != nil else { return nil }
        let settled = settled
        return shelf.place(ofSize: record.copy?.size) { !settled.contains($0) }
    }

    /// The record of the book on the device at `place`, if its key is gone from the source. The same book in the
    /// source was then moved and changed. Each record is returned once.
    private mutating func goneRecord(at place: Int) -> SyncRecord? {
        if gone == nil {
            var found: [Int: SyncRecord] = [:]
            for key in goneKeys {
                guard let record = state.records[key], !agreed.isMoved(record),
                    let place = shelf.place(of: record.path), found[place]?.isOwned != true
                else { continue }
                found[place] = record
            }
            gone = found
        }
        return gone?[place].flatMap { agreed.take($0) }
    }

    // MARK: books of the source

    private mutating func step(
        _ index: Int, _ book: SourceBook, _ record: SyncRecord?, _ place: Int?
    ) -> SyncStep {
        let item = book.entry.item
        if let problem = book.problem {
            var row = SyncPlanRow(
                place == nil ? .add : .replace, item: item, path: place.flatMap { shelf[$0].path },
                reason: problem.message)
            row.fails = true
            return SyncStep(row: row, source: index, device: place, before: record, after: record)
        }
        if let record, let place {
            guard owners[place] == index else {
                return twin(index, book, place, of: owners[place].map { books[$0].entry.item })
            }
            if let step = otherCopy(index, book, record, place) { return step }
            return compare(index, book, record, place)
        }
        let known = book.book ?? record?.identity ?? Book()
        var found = shelf.place(
            of: known, contentID: book.contentID, format: book.format, sharesUUID: sharesUUID(known.uuid))
        // The copy that another file is about to replace is not a copy of this book.
        if let owner = found.flatMap({ owners[$0] }), owner != index, !isDuplicate(book, of: owner) {
            found = nil
        }
        if let found {
            if let owner = owners[found], owner != index {
                return twin(index, book, found, of: books[owner].entry.item)
            }
            owners[found] = index
            // The record is pending and owned, so this source sent the book.
            if let record, record.isPending, record.isOwned { return compare(index, book, record, found) }
            if record == nil, let former = goneRecord(at: found) {
                return compare(index, book, former, found)
            }
            return SyncStep(
                row: SyncPlanRow(
                    .keep, item: item, path: shelf[found].path, reason: "Already on the device."),
                source: index, device: found, before: record,
                after: agreement(book, found, isOwned: false, since: nil))
        }
        let first = additions.step(
            of: known, book.contentID, book.format, sentFormat: { sent($0)?.format },
            sentBook: { sentBook($0) })
        if let first {
            var record = agreement(book, nil, isOwned: false, since: nil)
            record.copy = nil
            return SyncStep(
                row: Self.duplicate(item, path: nil, of: steps[first].row.item), source: index, twin: first,
                before: record, after: record)
        }
        additions.insert(known, book.contentID, at: steps.count)
        let reason = record?.path == nil ? possibleCopy(of: book, known) : "It is no longer on the device."
        return SyncStep(
            row: SyncPlanRow(.add, item: item, reason: reason, bytes: book.entry.size), source: index,
            before: record, after: agreement(book, nil, isOwned: true, since: nil))
    }

    /// A sentence about a book on the device that may be the same: its content is not known before the file is sent,
    /// and neither its authors nor a uuid say what it is. Nil if there is none.
    private func possibleCopy(of book: SourceBook, _ known: Book) -> String? {
        let place = shelf.place(ofPossibleCopy: known, size: book.entry.size, format: book.format) {
            owners[$0] == nil
        }
        return place.flatMap { shelf[$0].path }.map {
            "It may be the same as \($0), which has its size and title. Their contents are compared when it is sent."
        }
    }

    /// The book of the source that a step sends.
    private func sent(_ step: Int) -> SourceBook? { steps[step].source.map { books[$0] } }

    /// The metadata of the book that a step sends.
    private func sentBook(_ step: Int) -> Book {
        sent(step)?.book ?? steps[step].before?.identity ?? Book()
    }

    /// Handles a changed file whose new content is already on the device in another copy. That copy is used from now
    /// on, and the former copy counts as gone from the source.
    private mutating func otherCopy(
        _ index: Int, _ book: SourceBook, _ record: SyncRecord, _ place: Int
    ) -> SyncStep? {
        guard let content = book.contentID, let agreed = record.contentID, content != agreed,
            shelf[place].contentID != content, let found = shelf.place(ofContent: content),
            found != place
        else { return nil }
        owners[place] = nil
        if record.isOwned { former.append(record.ofFormerCopy(at: shelf[place].path)) }
        if let owner = owners[found], owner != index {
            return twin(index, book, found, of: books[owner].entry.item)
        }
        owners[found] = index
        return SyncStep(
            row: SyncPlanRow(
                .keep, item: book.entry.item, path: shelf[found].path,
                reason: "Already on the device."),
            source: index, device: found, before: record,
            after: agreement(book, found, isOwned: false, since: nil))
    }

    /// The step for a book of the source that is on the device as the copy of another book of the source.
    private func twin(_ index: Int, _ book: SourceBook, _ place: Int, of other: String?) -> SyncStep {
        SyncStep(
            row: Self.duplicate(book.entry.item, path: shelf[place].path, of: other), source: index,
            device: place, before: nil,
            after: agreement(book, place, isOwned: false, since: nil))
    }

    private static func duplicate(_ item: String, path: String?, of other: String?) -> SyncPlanRow {
        var row = SyncPlanRow(
            .keep, item: item, path: path, reason: other.map { "It is the same book as \($0)." })
        row.isDuplicate = true
        return row
    }

    /// The step for a book that both sides have as they had it at the last sync; nil if that is not certain. Most
    /// books are recognized here, without unpacking the device's copy.
    ///
    /// The digest includes the path, so that a copy that is found by another spelling of its path has another digest.
    private func unchanged(_ index: Int, _ book: SourceBook, _ record: SyncRecord, _ place: Int) -> SyncStep?
    {
        guard !record.isPending, record.identity == nil, let copy = record.copy, copy.metadata.isOfWholeCopy,
            let digest = copy.digest, digest == shelf.digest(of: place),
            shelf.place(of: record.path) == place,
            book.contentID == record.contentID, book.entry.stamp == record.stamp,
            book.entry.cover?.stamp == record.cover, record.hasSameNames(as: book.entry)
        else { return nil }
        if let known = book.book {
            guard record.metadata == MetadataDigest(known, { _ in true }) else { return nil }
        }
        return SyncStep(
            row: SyncPlanRow(.keep, item: book.entry.item, path: record.path), source: index, device: place,
            before: record, after: record)
    }

    /// The step for a recorded book that is on both sides.
    private func compare(_ index: Int, _ book: SourceBook, _ record: SyncRecord, _ place: Int) -> SyncStep {
        if let step = unchanged(index, book, record, place) { return step }
        let now = shelf[place]
        let mark = book.book.map { MetadataDigest($0) { _ in true } }
        let isNew = book.contentID != nil && record.contentID != nil && book.contentID != record.contentID
        let isNewlyDescribed = mark != nil && record.metadata != nil && mark != record.metadata
        // After an interrupted run it is unknown which changes reached the device.
        let isRecovered = isNewlyDescribed || record.isPending && mark != nil
        let hasCover = policy.setsCovers && book.entry.cover != nil && book.entry.cover?.stamp != record.cover
        let changed = record.isPending ? [] : record.copy?.differences(from: now) ?? []
        // If the source is preferred, it replaces all changes of the app.
        let comparesMetadata = isRecovered || (hasCover && !changed.isEmpty && policy.prefers == .source)
        let changes =
            comparesMetadata ? policy.changes(to: now, for: book.book ?? Book(), since: record) : nil
        func step(_ action: SyncAction, _ reason: String?, bytes: UInt64 = 0, _ after: SyncRecord) -> SyncStep
        {
            SyncStep(
                row: SyncPlanRow(
                    action, item: book.entry.item, path: Self.path(now, like: record), reason: reason,
                    bytes: bytes),
                source: index, device: place, before: record, after: after)
        }
        guard isNew || isRecovered || hasCover else {
            let reason = changed.isEmpty ? nil : "\(policy.copyChanged(changed))."
            return step(.keep, reason, agreement(book, place, isOwned: record.isOwned, since: record))
        }
        // Both sides may have become equal. A file whose transfer was interrupted may have arrived without the
        // metadata that the app stores.
        let isCutOff =
            record.isPending && record.copy == nil && policy.needsFile(for: book.book ?? Book(), at: now)
        let hasContent = !isCutOff && (!isNew || now.contentID != nil && now.contentID == book.contentID)
        let hasMetadata = !isRecovered || changes == nil
        var done = agreement(book, place, isOwned: record.isOwned, since: nil)
        if hasContent, hasMetadata, !hasCover {
            let reason =
                isNewlyDescribed && !isNew && !differences(book.book, now).isEmpty
                ? "\(policy.app) cannot change what differs." : nil
            // Keep the record of the app's change to its file, so that a later change in the source is a conflict.
            let isRewritten = !isNew && changed.contains { $0 != "metadata" }
            return step(
                .keep, reason,
                isRewritten ? agreement(book, place, isOwned: record.isOwned, since: record) : done)
        }
        // The source replaces a copy if the app changed the complete file.
        let isOtherFile = !isNew && changed.contains { $0 != "metadata" }
        let replaces = !hasContent || isOtherFile
        let isForeign = changed.isEmpty && replaces && isForeign(now, book, record)
        let hasConflict = !changed.isEmpty || isForeign
        // A copy that the source replaces by a decision came from the source.
        if isForeign, policy.prefers == .source { done.isOwned = true }
        let differing = changed.contains("metadata") ? differences(book.book, now) : []
        let both =
            (isForeign
                ? "The copy in \(policy.app) did not come from this source, and the source changed."
                : "\(policy.copyChanged(changed)), and the source changed, too.")
            + (differing.isEmpty ? "" : " They differ in: \(differing.joined(separator: ", ")).")
        switch policy.prefers {
        case nil where hasConflict:
            var open = record
            (open.key, open.item) = (book.entry.key, book.entry.item)
            return step(.conflict, both, open)
        case .device where hasConflict:
            var kept = step(.keep, both + " The app's copy is kept.", done)
            kept.row.isNotable = true
            return kept
        default: break
        }
        guard !replaces else {
            let reason =
                hasConflict ? both : isNew ? "The file changed in the source." : "It was not sent completely."
            var replacement = step(.replace, reason, bytes: book.entry.size, done)
            replacement.decidesConflict = hasConflict
            return replacement
        }
        var update = step(.update, (hasConflict ? both + " " : "") + updateReason(changes, hasCover), done)
        update.decidesConflict = hasConflict
        update.changes = changes
        update.changesCover = hasCover
        return update
    }

    /// Whether a copy was on the device before, and may be another book or another edition than the source's: it was
    /// recognized only by its title and authors, and no content or uuid says that it is the same.
    private func isForeign(_ now: Book, _ book: SourceBook, _ record: SyncRecord) -> Bool {
        guard !record.isOwned, !record.isPending else { return false }
        if let content = record.contentID {
            if content == now.contentID || content == record.copy?.contentID { return false }
            if let uuid = now.uuid, DeviceShelf.compared(uuid) == DeviceShelf.compared(content) {
                return false
            }
        }
        guard let own = book.book?.uuid, let other = now.uuid else { return true }
        return DeviceShelf.compared(own) != DeviceShelf.compared(other)
    }

    private func updateReason(_ changes: Book?, _ hasCover: Bool) -> String {
        var words = changes?.settableWords ?? []
        if hasCover { words.append("cover") }
        return "It changed in the source: \(words.joined(separator: ", "))."
    }

    /// The names of the values of the source that the device's copy does not have.
    private func differences(_ book: Book?, _ now: Book) -> [String] {
        guard let book else { return [] }
        return MetadataDigest.fields.compactMap { field in
            guard let own = MetadataDigest.text(of: field, in: book),
                own != MetadataDigest.text(of: field, in: now)
            else { return nil }
            return field.settableWord
        }
    }

    /// The record of a book for the current state of both sides, or for the state after the step.
    ///
    /// - Parameter earlier: the record whose values for the device are kept; nil to use the current copy on the
    ///   device.
    private func agreement(
        _ book: SourceBook, _ place: Int?, isOwned: Bool, since earlier: SyncRecord?
    ) -> SyncRecord {
        let now = place.map { shelf[$0] }
        let digest = place.flatMap { shelf.digest(of: $0) }
        func known() -> SyncRecord? {
            // Another book may have had this key.
            state[book.entry.key].flatMap { record in
                book.contentID == nil || record.contentID == book.contentID ? record : nil
            }
        }
        let mark =
            book.book.map { MetadataDigest($0) { _ in true } } ?? earlier?.metadata ?? known()?.metadata
        let content = book.contentID ?? earlier?.contentID ?? known()?.contentID
        let copy = now.map { now in
            guard var copy = earlier?.copy else { return DeviceCopy(now, content: content, digest: digest) }
            guard copy.differences(from: now).isEmpty else {
                // The digest is that of the row at its former path, which the record may no longer have.
                copy.digest = nil
                return copy
            }
            // A copy recorded by an earlier version gets its remaining values as soon as it is unchanged.
            guard copy.metadata.isOfWholeCopy, copy.contentID != nil || now.contentID == nil else {
                return DeviceCopy(now, content: content, digest: digest)
            }
            copy.digest = digest ?? copy.digest
            return copy
        }
        let record = SyncRecord(
            key: book.entry.key, item: book.entry.item, stamp: book.entry.stamp,
            contentID: content, metadata: mark,
            cover: book.entry.cover?.stamp, path: now.flatMap { Self.path($0, like: earlier) },
            isOwned: isOwned, copy: copy)
        guard now != nil else { return record }
        if let earlier, earlier == record, earlier.hasSameNames(as: record) { return earlier }
        return record
    }

    /// The path of a book on the device. Reuses the text of the record if it is the same, so that it is not in memory
    /// twice.
    private static func path(_ book: Book, like record: SyncRecord?) -> String? {
        guard let path = book.path else { return nil }
        return record?.path.flatMap { ExactText($0) == ExactText(path) ? $0 : nil } ?? path
    }

    // MARK: books that only the device has

    /// The places of the recorded books that are in the source, also of those that are not selected.
    private var presentPlaces: Set<Int> {
        state.records.reduce(into: []) { places, entry in
            guard present.contains(entry.key), let place = shelf.place(of: entry.value.path) else { return }
            places.insert(place)
        }
    }

    private mutating func listOthers() {
        // Skip books of the source that are not selected.
        let known = presentPlaces.union(holders.keys)
        for place in 0..<shelf.count where !known.contains(place) {
            let book = shelf[place]
            var row = SyncPlanRow(.onlyOnDevice, item: nil, path: book.path)
            row.title = book.title
            steps.append(SyncStep(row: row, device: place))
        }
    }

    // MARK: uuids

    func sharesUUID(_ uuid: String?) -> Bool {
        uuid.map { sharedUUIDs.contains(DeviceShelf.compared($0)) } ?? false
    }

    /// The uuids that several books of the source share although their titles differ, such as books created from one
    /// template.
    private static func shared(_ books: [SourceBook]) -> Set<String> {
        var titles: [String: String] = [:]
        var shared: Set<String> = []
        for index in books.indices {
            guard let book = books[index].book, let uuid = book.uuid, let title = book.title else { continue }
            let (key, compared) = (DeviceShelf.compared(uuid), BookSimilarity.compared(title))
            if let first = titles[key] {
                if first != compared { shared.insert(key) }
            } else {
                titles[key] = compared
            }
        }
        return shared
    }
}
