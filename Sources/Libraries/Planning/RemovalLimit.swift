import HostErrors

/// How many books a sync may remove from a device before the user confirms the number.
///
/// A folder whose disk is not mounted looks as if its books had been removed. Twenty removals are always allowed, and
/// otherwise a quarter of the books that came from the source, as for bibliographies. None are if the source
/// is empty, or was moved and no removal was confirmed since, because a copy of its disk may have been taken for it.
package struct RemovalLimit: Sendable {
    /// The number of removals that are allowed in a source with few books.
    private static let few = 20
    /// The divisor of the number of books that came from the source.
    private static let part = 4

    private let most: Int
    private let sent: Int

    /// Creates the limit of one run.
    ///
    /// - Parameters:
    ///   - confirmed: the number that the user has confirmed; nil if there is none.
    ///   - state: the records of the last sync.
    ///   - isDoubtful: whether the source is empty or was moved.
    package init(_ confirmed: Int?, _ state: SyncState, isDoubtful: Bool) {
        sent = state.records.values.count { $0.isOwned }
        most = confirmed ?? (isDoubtful ? 0 : max(Self.few, sent / Self.part))
    }

    /// The error for all removals of a plan if they exceed the limit; nil otherwise.
    package func refusal(of steps: [SyncStep]) -> HostError? {
        let count = steps.count { $0.row.action == .remove }
        guard count > most else { return nil }
        let books = sent == 1 ? "the only book that" : "\(count) of \(sent) books that"
        return HostError(
            .needsConsent, "The sync would remove \(books) came from this source.",
            hint:
                "Check that the source is the right one, and that all its folders are there and mounted. To remove the books, use "
                + "--max-delete \(count), or --yes if highlights in them may be lost.", hintCode: .consent)
    }
}
