import BookModel
import Platform

extension SyncPlanner {
    /// Treats the copy of a record as gone from the source, because another book has its name.
    ///
    /// - Parameter isUncertain: whether the copy may be that of a book that cannot be read. It then stays, and does not
    ///   count as one that came from the source.
    mutating func leaveBehind(_ record: SyncRecord, isUncertain: Bool) {
        guard record.isOwned, !isUncertain else { return }
        former.append(record.ofFormerCopy(at: record.path))
    }

    /// Plans what happens to the copy of a record whose book is gone from the source.
    mutating func settle(_ record: SyncRecord) {
        guard let place = place(of: record, nil) else { return }
        let path = shelf[place].path
        if let owner = owners[place] {
            // Another file of the source is the same book, and inherits the ownership.
            if record.isOwned {
                // The steps of the source's books come first, in their order.
                steps[owner].after?.isOwned = true
                replaceEdition(owner, of: record, at: place)
            }
            return
        }
        guard record.isOwned, holders[place] == nil else { return }
        holders[place] = steps.count
        func add(_ action: SyncAction, _ reason: String, _ after: SyncRecord?) {
            steps.append(
                SyncStep(
                    row: SyncPlanRow(action, item: record.item, path: path, reason: reason), device: place,
                    before: record, after: after))
        }
        if let path, others.contains(ExactText(path)) {
            add(.keep, "No longer in this source, but still in another.", nil)
            return
        }
        guard !isBehindLink(record) else {
            add(
                .keep,
                "A symbolic link is in its place or in that of a folder above it, and links are not followed.",
                record)
            steps[steps.count - 1].row.isNotable = true
            steps[steps.count - 1].row.fails = policy.deletes
            return
        }
        let changed = record.isPending ? [] : record.copy?.differences(from: shelf[place]) ?? []
        if !changed.isEmpty {
            let both = "\(policy.copyChanged(changed)), and the source no longer has the book."
            let mayBeOther = changed.contains("metadata") && changed.count > 1
            switch policy.prefers {
            case .source where mayBeOther:
                add(.conflict, both + " It may be another book.", record)
            case .source where policy.deletes: add(.remove, both, nil)
            case .source: add(.conflict, both + " With --delete it is removed.", record)
            case .device:
                add(.keep, both + " The app's copy is kept.", nil)
                steps[steps.count - 1].row.isNotable = true
            case nil:
                let removal =
                    mayBeOther
                    ? " It may be another book, so only --prefer device settles this."
                    : policy.deletes
                        ? " --prefer source removes it." : " --prefer source with --delete removes it."
                add(.conflict, both + removal, record)
            }
        } else if policy.deletes {
            add(.remove, "It is gone from the source.", nil)
        } else {
            add(.keep, "It is gone from the source. With --delete it is removed.", record)
            steps[steps.count - 1].row.isGone = true
        }
    }

    /// Names the copies that `--delete` leaves, because they were there before their books came into the source, or
    /// count as the user's own for another reason. Called after all other books that are gone were settled.
    ///
    /// - Parameter kept: the places of books that are still in the source.
    mutating func nameOwnCopies(_ records: [SyncRecord], besides kept: Set<Int>) {
        for record in records where !record.isOwned && !record.isPending && !isBehindLink(record) {
            guard let place = shelf.place(of: record.path), owners[place] == nil, holders[place] == nil,
                !kept.contains(place), let path = shelf[place].path, !others.contains(ExactText(path))
            else { continue }
            holders[place] = steps.count
            var row = SyncPlanRow(
                .keep, item: record.item, path: path,
                reason:
                    "It is gone from the source. The copy counts as your own, so --delete does not remove it."
            )
            row.isNotable = true
            steps.append(SyncStep(row: row, device: place, before: record, after: nil))
        }
    }

    /// Sends a book that was not sent because another edition was on the device, which is now gone from the source.
    private mutating func replaceEdition(_ step: Int, of record: SyncRecord, at place: Int) {
        guard steps[step].row.action == .keep, let sent = record.contentID,
            let content = steps[step].after?.contentID, sent != content, shelf[place].contentID != content,
            record.copy?.differences(from: shelf[place]).isEmpty == true,
            let source = steps[step].source
        else { return }
        // The copy has the content of the other edition. Without a stamp, the file is read again until it is sent.
        steps[step].before?.contentID = sent
        steps[step].before?.stamp = ""
        steps[step].before?.isOwned = true
        steps[step].row = SyncPlanRow(
            .replace, item: steps[step].row.item, path: shelf[place].path,
            reason: "The other edition, \(record.item), is gone from the source.",
            bytes: books[source].entry.size)
    }

    /// Whether a symbolic link is in the place of the book's file or of a folder above it.
    private func isBehindLink(_ record: SyncRecord) -> Bool {
        guard !links.isEmpty else { return false }
        let key = record.key
        let ends = key.utf8.indices.filter { key.utf8[$0] == UInt8(ascii: "/") } + [key.endIndex]
        return ends.contains { links.contains(ExactText(String(key[..<$0]))) }
    }
}
