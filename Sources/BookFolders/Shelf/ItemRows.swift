import OverlayKit

/// The rows of a method that must report one row for each item.
public struct ItemRows {
    private var isReported: [Bool]
    private var waiting: [ItemResult] = []
    /// The rows that were added.
    private var taken: [Int: ItemResult] = [:]
    private var settled: Set<Int> = []
    /// Items that are the same as an earlier item, by the earlier item.
    private var followers: [Int: [(index: Int, message: String)]] = [:]

    /// Rows for `count` items.
    public init(count: Int) {
        isReported = Array(repeating: false, count: count)
    }

    /// The items without a row.
    public var missing: [Int] { isReported.indices.filter { !isReported[$0] } }

    /// How many items have a row.
    public private(set) var done = 0

    /// Adds the row of an item. A second row for the same item is ignored, because the first was correct.
    public mutating func add(_ row: ItemResult) {
        guard isReported.indices.contains(row.index), !isReported[row.index] else { return }
        isReported[row.index] = true
        done += 1
        waiting.append(row)
        taken[row.index] = row
        for follower in followers.removeValue(forKey: row.index) ?? [] {
            add(Self.row(follower.index, follower.message, like: row))
        }
    }

    /// Adds an item that is the same as an earlier one and gets the same result: skipped if that item succeeded, else
    /// failed.
    ///
    /// - Parameters:
    ///   - index: the item.
    ///   - first: the earlier item.
    ///   - message: the message of the row if the earlier item succeeded.
    public mutating func add(_ index: Int, like first: Int, message: String) {
        if let row = taken[first] {
            add(Self.row(index, message, like: row))
        } else {
            followers[first, default: []].append((index, message))
        }
    }

    private static func row(_ index: Int, _ message: String, like first: ItemResult) -> ItemResult {
        guard first.outcome == .failed else {
            return .done(index, .skipped, path: first.path, message: message)
        }
        var row = first
        row.index = index
        row.message = message + (first.message.map { " That failed: \($0)" } ?? "")
        return row
    }

    /// Adds a failed row for each item that has none.
    public mutating func addMissing(_ error: OverlayError) {
        for index in missing { add(.failed(index, error)) }
    }

    /// Records that an item needs no row, because nothing has to be done about it.
    public mutating func settle(_ index: Int) { settled.insert(index) }

    /// Whether an item needs no row.
    public func isSettled(_ index: Int) -> Bool { settled.contains(index) }

    /// Whether an item has failed.
    public var hasFailure: Bool { taken.values.contains { $0.outcome == .failed } }

    /// The message of an item that has failed; nil if it has not.
    public func failure(of index: Int) -> String? {
        taken[index].flatMap { $0.outcome == .failed ? $0.message ?? "" : nil }
    }

    /// Passes the new rows to the host.
    public mutating func flush(
        _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let rows = waiting
        waiting = []
        for row in rows { try report(row) }
    }

    /// Runs a method's work. If it fails, all items without a row get a failed row before the error is thrown on.
    ///
    /// - Parameters:
    ///   - count: the number of items.
    ///   - untouched: the message for those items, such as `The book was not sent.`
    ///   - report: receives the rows in the order of the items.
    ///   - work: does the work and adds the rows.
    public static func complete(
        _ count: Int, untouched: String, report: (ItemResult) throws(OverlayError) -> Void,
        _ work: (inout ItemRows) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var rows = ItemRows(count: count)
        do {
            try work(&rows)
            try rows.flush(report)
        } catch {
            // After `stopped`, the host does not accept more rows. After any other error, the rows are still
            // required.
            if error.status == .stopped { throw error }
            for index in rows.missing {
                var reason = error
                reason.message = untouched + " " + error.message
                rows.add(.failed(index, reason))
            }
            try rows.flush(report)
            throw error
        }
    }
}
