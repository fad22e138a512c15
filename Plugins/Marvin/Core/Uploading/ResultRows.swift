import OverlayKit

/// The rows of a method that owes one row for each item.
struct ResultRows {
    private var isReported: [Bool]
    private var settled: Set<Int> = []
    /// Whether an item has failed.
    private(set) var hasFailure = false
    private var waiting: [ItemResult] = []

    /// Rows for `count` items.
    init(count: Int) {
        isReported = Array(repeating: false, count: count)
    }

    /// The items that have no row yet.
    var missing: [Int] { isReported.indices.filter { !isReported[$0] } }

    /// How many items have a row.
    private(set) var done = 0

    /// Notes that an item needs no row: there is nothing to do about it.
    mutating func settle(_ index: Int) { settled.insert(index) }

    /// Whether an item was found to need no row.
    func isSettled(_ index: Int) -> Bool { settled.contains(index) }

    /// Takes the row of an item, with whole sentences; a second one for the same item is dropped, for the first was the truth.
    mutating func add(_ row: ItemResult) {
        guard isReported.indices.contains(row.index), !isReported[row.index] else { return }
        isReported[row.index] = true
        done += 1
        if row.outcome == .failed { hasFailure = true }
        var row = row
        row.message = row.message?.sentence
        row.hint = row.hint?.sentence
        waiting.append(row)
    }

    /// Puts a failed row for each item that has none yet.
    mutating func addMissing(_ error: OverlayError) {
        for index in missing { add(.failed(index, error)) }
    }

    /// Hands the new rows to the host.
    mutating func flush(_ report: (ItemResult) throws(OverlayError) -> Void) throws(OverlayError) {
        let rows = waiting
        waiting = []
        for row in rows { try report(row) }
    }

    /// Runs a method's work; if it fails, all items without a row fail with it before the failure goes on.
    ///
    /// - Parameter untouched: what is said of those items, such as that they were not sent.
    static func complete(
        _ count: Int, untouched: String, report: (ItemResult) throws(OverlayError) -> Void,
        _ work: (inout ResultRows) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var rows = ResultRows(count: count)
        do {
            try work(&rows)
            try rows.flush(report)
        } catch {
            // The host wants no more rows; everything else is owed.
            if error.status == .stopped { throw error }
            for index in rows.missing {
                var reason = error
                reason.message = untouched + " " + error.message.sentence
                rows.add(.failed(index, reason))
            }
            try rows.flush(report)
            throw error
        }
    }
}
