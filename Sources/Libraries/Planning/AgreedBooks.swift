import Platform

/// What was agreed of the books of a source, also of those that have another name there now.
package struct AgreedBooks {
    private let state: SyncState
    /// The records whose books are not where they were, by stamp and by content; those that several share are not among them.
    private var byStamp: [String: SyncRecord] = [:]
    private var byContent: [String: SyncRecord] = [:]
    private var taken: Set<ExactText> = []

    /// - Parameter present: the keys of everything that is in the source.
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

    /// The record of a book, by its key, else by the stamp that its file had under another name; each once.
    package mutating func record(of entry: SourceEntry) -> SyncRecord? {
        if let record = state[entry.key] { return record }
        guard !entry.stamp.isEmpty, let moved = byStamp[entry.stamp] else { return nil }
        return take(moved)
    }

    /// The record of a book that had the same content under a name that is gone.
    package mutating func record(ofContent contentID: String?) -> SyncRecord? {
        guard let contentID, let moved = byContent[contentID] else { return nil }
        return take(moved)
    }

    /// Whether a record belongs to a book under a new name.
    package func isMoved(_ record: SyncRecord) -> Bool { taken.contains(ExactText(record.key)) }

    /// The record, which from now on belongs to a book under a new name; nil if it does already.
    package mutating func take(_ record: SyncRecord) -> SyncRecord? {
        taken.insert(ExactText(record.key)).inserted ? record : nil
    }
}

extension SyncState {
    /// Drops what is agreed no longer, once a plan has been carried out: books that are gone from the source and from the plan.
    package mutating func forget(otherThan steps: [SyncStep], present: Set<ExactText>) {
        var kept = present
        for step in steps {
            // A removal that failed is tried again, as is the change of a book under a new name.
            if let key = step.after?.key, self[key] != nil {
                kept.insert(ExactText(key))
            } else if let key = step.before?.key {
                kept.insert(ExactText(key))
            }
        }
        records = records.filter { kept.contains($0.key) }
    }
}
