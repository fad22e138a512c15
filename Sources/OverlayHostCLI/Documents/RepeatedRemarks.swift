import OverlayHost

/// What the rows of a command have in common to say, so that it is said once and not for each of a hundred books.
///
/// A remark is shared whole or not at all: what a part of it means, such as the second half of an abbreviation, only the whole
/// tells.
struct RepeatedRemarks {
    /// The rows; of those that were done without what all of their kind say.
    private(set) var rows: [ItemRow]
    /// What all rows of a kind say, with the number of them: `12 added: …`.
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
