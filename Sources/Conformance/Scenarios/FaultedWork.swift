import OverlayABI
import OverlayHost

/// One piece of work that something goes wrong in, and what comes of it when nothing does.
struct FaultedWork: Sendable {
    /// Its method.
    let method: OverlayMethod
    /// What must be there before: false if it cannot be made. Nothing goes wrong while it runs.
    var prepare: @Sendable (Trial) -> Bool = { _ in true }
    /// Does it. The result says how much came of it; nil if the overlay's process has ended.
    let run: @Sendable (Trial) -> Yield?

    /// Whether it may leave another library behind than it found.
    var changesBooks: Bool { method == .uploadBooks || method == .deleteBooks }

    /// What came of a piece of work.
    struct Yield {
        /// Books, bytes, or rows of success.
        var amount: UInt64 = 0
        /// The codes of rows that failed.
        var failures: [HostError.Code] = []
        /// Why the method failed; nil if it did not.
        var error: HostError?
    }

    /// The works that an overlay can do, with the paths of its books.
    static func all(_ bench: CheckBench, _ path: String?) -> [FaultedWork] {
        let methods = bench.overlay.methods
        var works: [FaultedWork] = []
        if methods.books != nil { works.append(FaultedWork(method: .books, run: { books($0) })) }
        if methods.get_file != nil, let path {
            works.append(FaultedWork(method: .getFile, run: { get($0, path) }))
        }
        if methods.upload_books != nil { works.append(upload) }
        return works
    }

    /// Adds one book.
    static let upload = FaultedWork(
        method: .uploadBooks,
        run: { trial in
            let inputs = Array(trial.bench.books.prefix(1))
            let rows = trial.attemptRows("upload_books") {
                trial.instance.uploadBooks(inputs, conflict: OVL_CONFLICT_PROTECT, collections: [])
            }
            trial.path = rows?.rows.first??.path
            return rows.map(yield)
        })

    /// Adds a book and deletes it.
    static let delete = FaultedWork(
        method: .deleteBooks,
        prepare: { trial in
            let yield = upload.run(trial)
            return yield?.amount == 1 && trial.path != nil
        },
        run: { trial in
            guard let path = trial.path else { return nil }
            return trial.attemptRows("delete_books") { trial.instance.deleteBooks([path]) }.map(yield)
        })

    private static func yield(_ rows: OverlayRows) -> Yield {
        var yield = Yield(error: rows.failure)
        for row in rows.rows {
            guard let row else { continue }
            if row.outcome == .failed {
                yield.failures.append(row.code ?? .failed)
            } else {
                yield.amount += 1
            }
        }
        return yield
    }

    private static func books(_ trial: Trial) -> Yield? {
        yield(trial.attempt("books") { () throws(HostError) in UInt64(try trial.instance.books().count) })
    }

    private static func get(_ trial: Trial, _ path: String) -> Yield? {
        yield(
            trial.attempt("get_file") { () throws(HostError) in
                try trial.instance.getFile(path) { _ in }.count
            })
    }

    private static func yield(_ outcome: Result<UInt64, HostError>?) -> Yield? {
        switch outcome {
        case .success(let amount)?: Yield(amount: amount)
        case .failure(let error)?: Yield(error: error)
        case nil: nil
        }
    }
}
