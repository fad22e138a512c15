import OverlayHost

/// What several rows of a command failed for, so that it is explained once, with the names of all, and not for each of a hundred
/// books that an interrupted command did not come to.
struct RepeatedFailures {
    /// Names that are shown of those that failed alike.
    private static let shown = 8

    private struct Failure: Hashable {
        var code: HostError.Code?
        var message: String?
        var hint: String?
        var native: NativeCode?
    }

    private let rows: [ItemRow]
    /// By the place of the first row that failed for something, the places of the others that did.
    private(set) var twins: [Int: [Int]] = [:]

    init(_ rows: [ItemRow]) {
        self.rows = rows
        var first: [Failure: Int] = [:]
        for (place, row) in rows.enumerated() where row.status == .failed {
            let failure = Failure(code: row.code, message: row.message, hint: row.hint, native: row.native)
            if let other = first[failure] {
                twins[other, default: []].append(place)
            } else {
                first[failure] = place
                twins[place] = []
            }
        }
    }

    /// The line about those that failed like the first one.
    func sameText(_ places: [Int]) -> String {
        let names = places.map { TerminalText.sanitized(rows[$0].item) }
        let list =
            names.count <= Self.shown
            ? names.joined(separator: ", ")
            : names.prefix(Self.shown - 1).joined(separator: ", ")
                + " and \(names.count - Self.shown + 1) more"
        return "  The same with: \(list).\n"
    }
}

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
