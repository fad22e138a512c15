import OverlayHost

/// Groups rows that failed for the same reason, so that the reason is printed once with all names. After an
/// interruption, it would otherwise be printed for each of a hundred books.
struct RepeatedFailures {
    /// How many names of rows that failed alike are shown.
    private static let shown = 8

    private struct Failure: Hashable {
        var code: HostError.Code?
        var message: String?
        var hint: String?
        var native: NativeCode?

        init(_ row: ItemRow) {
            (code, message, hint, native) = (row.code, row.message, row.hint, row.native)
        }

        /// The failure with the row's name left out of its texts.
        func without(_ name: String) -> Failure {
            var other = self
            guard !name.isEmpty else { return other }
            other.message = message?.replacing(name, with: "\0")
            other.hint = hint?.replacing(name, with: "\0")
            return other
        }
    }

    private let rows: [ItemRow]
    /// The rows that failed for the same reason, by the index of the first of them.
    private(set) var twins: [Int: [Int]] = [:]

    init(_ rows: [ItemRow]) {
        self.rows = rows
        var first: [Failure: Int] = [:]
        for (place, row) in rows.enumerated() where row.status == .failed {
            let failure = Failure(row)
            // A reason is the same if only the names in it differ.
            let nameless = failure.without(row.item)
            if let other = first[failure] ?? first[nameless] {
                twins[other, default: []].append(place)
            } else {
                first[failure] = place
                first[nameless] = place
                twins[place] = []
            }
        }
    }

    /// The line for rows that failed like the first one.
    func sameText(_ places: [Int]) -> String {
        let names = places.map { TerminalText.sanitized(rows[$0].item) }
        let list =
            names.count <= Self.shown
            ? names.joined(separator: ", ")
            : names.prefix(Self.shown - 1).joined(separator: ", ")
                + " and \(names.count - Self.shown + 1) more"
        return "  The same with: \(list)."
    }
}

/// Collects remarks that all rows of a kind share, so that they are printed once and not for each of a hundred books.
///
/// Only whole remarks are shared, because a part of one may not make sense.
struct RepeatedRemarks {
    /// The rows without the shared remarks.
    private(set) var rows: [ItemRow]
    /// The shared remarks of each kind, with the number of rows: `12 added: …`.
    private(set) var common: [String] = []

    init(_ rows: [ItemRow]) {
        self.rows = rows
        for status in ItemStatus.allCases where status != .failed {
            let places = rows.indices.filter { rows[$0].status == status }
            guard places.count > 1 else { continue }
            let shared = rows[places[0]].remarks.filter { remark in
                places.allSatisfy { rows[$0].remarks.contains(remark) }
            }
            guard !shared.isEmpty else { continue }
            for place in places { self.rows[place].remarks.removeAll { shared.contains($0) } }
            common.append("\(places.count) \(status.rawValue): \(shared.joined(separator: " "))")
        }
    }
}
