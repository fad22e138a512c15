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
