import BookModel
import Platform

extension SyncPlanner {
    /// A copy at its recorded path whose size differs from the record.
    private struct OtherCopy {
        var key: ExactText
        var path: String
        var recorded: UInt64
        var size: UInt64
    }

    /// The current paths of copies whose names were exchanged on the device, by the keys of their records. Call this
    /// after the plan was made.
    ///
    /// A copy is known by its path. If copies differ from their records in size, and each of them has the size in the
    /// record of another one, so that they form a circle, they have exchanged their names. A size that two of them
    /// share does not count.
    func exchangedPaths() -> [ExactText: String] {
        let copies = otherCopies()
        guard copies.count > 1 else { return [:] }
        let recorded = Dictionary(grouping: copies.indices) { copies[$0].recorded }
        let current = Dictionary(grouping: copies.indices) { copies[$0].size }
        // The copy that now has the path of another one, by the indexes of both.
        var moves: [Int: Int] = [:]
        for (size, places) in current where places.count == 1 {
            guard let books = recorded[size], books.count == 1 else { continue }
            moves[books[0]] = places[0]
        }
        // Leave out moves that begin or end outside a circle.
        var count = -1
        while count != moves.count {
            count = moves.count
            let (known, taken) = (moves, Set(moves.values))
            moves = known.filter { taken.contains($0.key) && known[$0.value] != nil }
        }
        return Dictionary(uniqueKeysWithValues: moves.map { (copies[$0].key, copies[$1].path) })
    }

    private func otherCopies() -> [OtherCopy] {
        // The step of an unchanged copy has no reason.
        steps.compactMap { step in
            guard step.row.reason != nil, let record = step.before, !record.isPending,
                state[record.key] != nil, let place = step.device, place == shelf.place(of: record.path),
                let recorded = record.copy?.size, let size = shelf[place].size, size != recorded,
                let path = shelf[place].path
            else { return nil }
            return OtherCopy(key: ExactText(record.key), path: path, recorded: recorded, size: size)
        }
    }
}
