import Platform

/// Finds the records of books in a source, even after a book was renamed.
package struct AgreedBooks {
    private let state: SyncState
    /// The records whose books are no longer at their keys, by stamp and by content. Values that several records
    /// share are omitted.
    private var byStamp: [String: SyncRecord] = [:]
    private var byContent: [String: SyncRecord] = [:]
    private var taken: Set<ExactText> = []

    /// - Parameter present: the keys of all books in the source.
    package init(_ state: SyncState, present: Set<ExactText>) {
        self.state = state
        var shared: Set<String> = []
        for (key, record) in state.records where !present.contains(key) {
            if !record.stamp.isEmpty {
                if byStamp.updateValue(record, forKey: record.stamp) != nil { shared.insert(record.stamp) }
            }
            if let content = record.contentID {
                if byContent.updateValue(record, forKey: content) != nil { shared.insert(content) }
            }
        }
        for key in shared {
            byStamp[key] = nil
            byContent[key] = nil
        }
    }

    /// The record of a book, by its key or by the stamp of its file under another name. A renamed record is returned
    /// only once.
    package mutating func record(of entry: SourceEntry) -> SyncRecord? {
        if let record = state[entry.key] { return record }
        guard !entry.stamp.isEmpty, let moved = byStamp[entry.stamp] else { return nil }
        return take(moved)
    }

    /// The record of a book with the same content whose name is gone.
    package mutating func record(ofContent contentID: String?) -> SyncRecord? {
        guard let contentID, let moved = byContent[contentID] else { return nil }
        return take(moved)
    }

    /// Whether a record has been assigned to a book with a new name.
    package func isMoved(_ record: SyncRecord) -> Bool { taken.contains(ExactText(record.key)) }

    /// Assigns a record to a book with a new name; nil if the record is already assigned.
    package mutating func take(_ record: SyncRecord) -> SyncRecord? {
        taken.insert(ExactText(record.key)).inserted ? record : nil
    }
}

extension SyncState {
    /// Removes the records of books that are neither in the source nor needed for the plan. Call this after the plan
    /// was carried out.
    package mutating func forget(otherThan steps: [SyncStep], present: Set<ExactText>) {
        var kept = present
        for step in steps {
            // Keep the record if a removal, or the change of a renamed book, failed. It is tried again.
            if let key = step.after?.key, self[key] != nil {
                kept.insert(ExactText(key))
            } else if let key = step.before?.key {
                kept.insert(ExactText(key))
            }
        }
        records = records.filter { kept.contains($0.key) }
    }
}
