import BookFolders
import OverlayKit

/// The rows of a method that owes one row for each item, in whole sentences.
struct ResultRows {
    private var rows: ItemRows
    private var settled: Set<Int> = []
    /// What is said of the items that have failed.
    private(set) var failures: [Int: String] = [:]
    /// Whether an item has failed.
    var hasFailure: Bool { !failures.isEmpty }

    /// Rows for `count` items.
    init(count: Int) { self.init(ItemRows(count: count)) }

    private init(_ rows: ItemRows) { self.rows = rows }

    /// The items that have no row yet.
    var missing: [Int] { rows.missing }

    /// How many items have a row.
    var done: Int { rows.done }

    /// Notes that an item needs no row: there is nothing to do about it.
    mutating func settle(_ index: Int) { settled.insert(index) }

    /// Whether an item was found to need no row.
    func isSettled(_ index: Int) -> Bool { settled.contains(index) }

    /// Takes the row of an item; a second one for the same item is dropped, for the first was the truth.
    mutating func add(_ row: ItemResult) {
        var row = row
        row.message = row.message?.sentence
        row.hint = row.hint?.sentence
        let before = done
        rows.add(row)
        if row.outcome == .failed, done > before { failures[row.index] = row.message ?? "" }
    }

    /// Takes an item that is the same as an earlier one, and shares its fate: skipped if that went well, else failed, too.
    ///
    /// - Parameter message: what is said of the item if the earlier one went well.
    mutating func add(_ index: Int, like first: Int, message: String) {
        rows.add(index, like: first, message: message)
    }

    /// Puts a failed row for each item that has none yet.
    mutating func addMissing(_ error: OverlayError) {
        for index in missing { add(.failed(index, error)) }
    }

    /// Hands the new rows to the host.
    mutating func flush(_ report: (ItemResult) throws(OverlayError) -> Void) throws(OverlayError) {
        try rows.flush(report)
    }

    /// Runs a method's work; if it fails, all items without a row fail with it before the failure goes on.
    ///
    /// - Parameter untouched: what is said of those items, such as that they were not sent.
    static func complete(
        _ count: Int, untouched: String, report: (ItemResult) throws(OverlayError) -> Void,
        _ work: (inout ResultRows) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(count, untouched: untouched, report: report) { rows throws(OverlayError) in
            var own = ResultRows(rows)
            defer { rows = own.rows }
            do throws(OverlayError) {
                try work(&own)
            } catch {
                var reason = error
                reason.message = error.message.sentence
                throw reason
            }
        }
    }
}
