import Platform

/// Finds the records of books in a source, even after a book was renamed or another one took its name.
///
/// A record belongs to the book with its stamp or its content. Only then it belongs to the book at its key, which in a
/// folder is a path.
package struct AgreedBooks {
    private let state: SyncState
    private let keysAreNames: Bool
    private let present: Set<ExactText>
    private let stamps: () -> [(key: String, stamp: String)]
    /// The records whose books may have moved. Created when a book is not known by its key.
    private lazy var moved = MovedRecords(state, present, keysAreNames ? stamps() : [])
    private var taken: Set<ExactText> = []

    /// - Parameters:
    ///   - present: the keys of all books in the source.
    ///   - stamps: the keys and stamps of the selected books of the source.
    ///   - keysAreNames: whether keys are paths of files, so that another book may take one. The key of a calibre
    ///     library identifies a book.
    package init(
        _ state: SyncState, present: Set<ExactText>,
        stamps: @escaping () -> [(key: String, stamp: String)], keysAreNames: Bool
    ) {
        (self.state, self.keysAreNames, self.present, self.stamps) = (state, keysAreNames, present, stamps)
    }

    /// The record of a book whose files have not changed since, under this or another name; nil if they changed or
    /// are new. The record of a book that moved is returned only once.
    package mutating func record(ofUnchanged entry: SourceEntry) -> SyncRecord? {
        guard !entry.stamp.isEmpty else { return nil }
        let own = state[entry.key]
        if let own, own.stamp == entry.stamp { return own }
        guard own == nil || keysAreNames, let moved = moved.byStamp[entry.stamp] else {
            return nil
        }
        return take(moved)
    }

    /// The record of each book that is known by its stamp or content; in a calibre library, also by its key.
    package mutating func records(of books: [SourceBook]) -> [SyncRecord?] {
        var records: [SyncRecord?] = []
        records.reserveCapacity(books.count)
        for index in books.indices {
            let known = keysAreNames ? nil : state[books[index].entry.key]
            records.append(known ?? record(ofUnchanged: books[index].entry))
        }
        let open = records.indices.filter { records[$0] == nil }
        for index in open {
            guard let content = books[index].contentID, let own = state[books[index].entry.key],
                own.contentID == content
            else { continue }
            records[index] = take(own)
        }
        for index in open where records[index] == nil {
            guard let content = books[index].contentID, let moved = moved.byContent[content] else { continue }
            records[index] = take(moved)
        }
        return records
    }

    /// The record at the key of a book, unless another book has it.
    package func record(atKeyOf entry: SourceEntry) -> SyncRecord? {
        state[entry.key].flatMap { isMoved($0) ? nil : $0 }
    }

    /// Whether a record has been assigned to a book.
    package func isMoved(_ record: SyncRecord) -> Bool { taken.contains(ExactText(record.key)) }

    /// Assigns a record to a book; nil if the record is already assigned.
    package mutating func take(_ record: SyncRecord) -> SyncRecord? {
        taken.insert(ExactText(record.key)).inserted ? record : nil
    }
}

/// The records whose books may have moved: those whose keys are gone, and in a folder those whose files changed. By
/// stamp and by content; values that several of them share are omitted.
private struct MovedRecords {
    private(set) var byStamp: [String: SyncRecord] = [:]
    private(set) var byContent: [String: SyncRecord] = [:]

    init(_ state: SyncState, _ present: Set<ExactText>, _ stamps: [(key: String, stamp: String)]) {
        var shared: Set<String> = []
        for (key, record) in state.records where !present.contains(key) { add(record, &shared) }
        for (key, stamp) in stamps {
            if let record = state[key], record.stamp != stamp { add(record, &shared) }
        }
        for key in shared {
            byStamp[key] = nil
            byContent[key] = nil
        }
    }

    private mutating func add(_ record: SyncRecord, _ shared: inout Set<String>) {
        if !record.stamp.isEmpty, byStamp.updateValue(record, forKey: record.stamp) != nil {
            shared.insert(record.stamp)
        }
        if let content = record.contentID, byContent.updateValue(record, forKey: content) != nil {
            shared.insert(content)
        }
    }
}

extension SyncState {
    /// Gives the records of books that moved their new keys, all at once, so that no record is lost if books have
    /// exchanged their names and the run ends early. Stamps stay, so that unfinished steps are planned again.
    ///
    /// - Returns: whether a record has a new key.
    package mutating func rename(_ steps: inout [SyncStep]) -> Bool {
        let moved = steps.indices.filter { place in
            guard steps[place].source != nil, let before = steps[place].before,
                let after = steps[place].after
            else { return false }
            return ExactText(before.key) != ExactText(after.key)
        }
        for place in moved { if let before = steps[place].before { self[before.key] = nil } }
        for place in moved {
            guard var before = steps[place].before, let after = steps[place].after else { continue }
            (before.key, before.item) = (after.key, after.item)
            steps[place].before = before
            self[before.key] = before
        }
        return !moved.isEmpty
    }

    /// Records the books that need no action: unchanged books, and books that are already on the device. Gives the
    /// records of books that moved their new keys.
    ///
    /// - Returns: whether the state has to be saved. A few changed digests alone do not count, because they only make the
    ///   next plan a little faster.
    package mutating func settleKept(_ steps: inout [SyncStep]) -> Bool {
        var isChanged = rename(&steps)
        var newDigests = 0
        for place in steps.indices where steps[place].row.action == .keep && steps[place].twin == nil {
            let after = steps[place].after
            if let before = steps[place].before,
                after.map({ ExactText($0.key) != ExactText(before.key) }) ?? true
            {
                isChanged = agree(before.key, nil) || isChanged
            }
            guard let after else { continue }
            if self[after.key]?.differsOnlyInDigest(from: after) == true {
                newDigests += 1
                self[after.key] = after
            } else {
                isChanged = agree(after.key, after) || isChanged
            }
        }
        // A copy that its book has left behind has no record yet. Add one, so that the next run can complete its
        // step.
        for place in steps.indices
        where steps[place].row.action == .remove || steps[place].row.action == .conflict {
            guard let before = steps[place].before, self[before.key] == nil else { continue }
            isChanged = agree(before.key, before) || isChanged
        }
        // A replaced edition is not known by the record of its own file.
        for place in steps.indices where steps[place].row.action == .replace {
            guard let before = steps[place].before, before.stamp.isEmpty else { continue }
            isChanged = agree(before.key, before) || isChanged
        }
        return isChanged || newDigests > records.count / 20
    }

    /// Sets the record of a book; nil to remove it.
    ///
    /// - Returns: whether the record has changed.
    package mutating func agree(_ key: String, _ record: SyncRecord?) -> Bool {
        let known = self[key]
        if let known, let record, known.sharesValues(with: record) { return false }
        self[key] = record
        guard let known, let record else { return known != record }
        return known != record || !known.hasSameNames(as: record)
    }

    /// Removes the records of books that are neither in the source nor needed for the plan. Call this after the plan
    /// was carried out.
    package mutating func forget(otherThan steps: [SyncStep], present: Set<ExactText>) {
        var gone = Set(records.keys.lazy.filter { !present.contains($0) })
        guard !gone.isEmpty else { return }
        for place in steps.indices {
            // Keep the record if a removal, or the change of a renamed book, failed. It is tried again.
            if let key = steps[place].after?.key, self[key] != nil {
                gone.remove(ExactText(key))
            } else if let key = steps[place].before?.key {
                gone.remove(ExactText(key))
            }
        }
        for key in gone { records[key] = nil }
    }
}
