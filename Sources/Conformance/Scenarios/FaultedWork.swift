import OverlayABI
import OverlayHost

/// A piece of work for a trial with faults.
struct FaultedWork: Sendable {
    /// Its method.
    let method: OverlayMethod
    /// Prepares the work without faults; returns false if that is impossible.
    var prepare: @Sendable (Trial) -> Bool = { _ in true }
    /// Does the work and returns how much was done; nil if the overlay's process has ended.
    let run: @Sendable (Trial) -> WorkOutcome?

    /// Whether it may leave the library changed.
    var changesBooks: Bool { [.uploadBooks, .deleteBooks, .syncBooklists].contains(method) }

    /// The result of a piece of work.
    struct WorkOutcome {
        /// The number of books, bytes, or successful rows.
        var amount: UInt64 = 0
        /// The codes of rows that failed.
        var failures: [HostError.Code] = []
        /// Why the method failed; nil if it did not.
        var error: HostError?
    }

    /// The work that an overlay can do, with the paths of its books.
    static func all(_ bench: CheckEnvironment, _ path: String?) -> [FaultedWork] {
        let methods = bench.overlay.methods
        var works: [FaultedWork] = []
        if methods.books != nil { works.append(FaultedWork(method: .books, run: { books($0) })) }
        if methods.get_file != nil, let path {
            works.append(FaultedWork(method: .getFile, run: { get($0, path) }))
        }
        if methods.upload_books != nil { works.append(upload) }
        return works
    }

    /// The work that requires a newly added book.
    static func changing(_ bench: CheckEnvironment) -> [FaultedWork] {
        let methods = bench.overlay.methods
        guard methods.upload_books != nil else { return [] }
        var works: [FaultedWork] = []
        if methods.delete_books != nil { works.append(delete) }
        if methods.sync_booklists != nil, methods.books != nil { works.append(sync) }
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
            return rows.map(workOutcome)
        })

    /// Adds a book and deletes it.
    static let delete = FaultedWork(
        method: .deleteBooks,
        prepare: { trial in
            let workOutcome = upload.run(trial)
            return workOutcome?.amount == 1 && trial.path != nil
        },
        run: { trial in
            guard let path = trial.path else { return nil }
            return trial.attemptRows("delete_books") { trial.instance.deleteBooks([path]) }.map(workOutcome)
        })

    /// Adds a book and changes its metadata.
    static let sync = FaultedWork(
        method: .syncBooklists,
        prepare: { trial in
            guard delete.prepare(trial), let path = trial.path else { return false }
            let books = trial.attempt("books") { () throws(HostError) in
                try trial.instance.books().first { $0.path == path }
            }
            let settings = trial.attempt("settings") { () throws(HostError) in try trial.instance.settings() }
            guard case .success(let book?)? = books else { return false }
            var settable = trial.bench.overlay.descriptor.settableMetadata
            if case .success(let settings)? = settings { settable = settings.settableMetadata }
            trial.book = book.changed(settable)
            return trial.book != nil
        },
        run: { trial in
            guard let book = trial.book else { return nil }
            return trial.attemptRows("sync_booklists") { trial.instance.syncBooklists([book]) }.map(
                workOutcome)
        })

    private static func workOutcome(_ rows: OverlayRows) -> WorkOutcome {
        var workOutcome = WorkOutcome(error: rows.failure)
        for row in rows.rows {
            guard let row else { continue }
            if row.outcome == .failed {
                workOutcome.failures.append(row.code ?? .failed)
            } else {
                workOutcome.amount += 1
            }
        }
        return workOutcome
    }

    private static func books(_ trial: Trial) -> WorkOutcome? {
        workOutcome(
            trial.attempt("books") { () throws(HostError) in UInt64(try trial.instance.books().count) })
    }

    private static func get(_ trial: Trial, _ path: String) -> WorkOutcome? {
        workOutcome(
            trial.attempt("get_file") { () throws(HostError) in
                try trial.instance.getFile(path) { _ in }.count
            })
    }

    private static func workOutcome(_ outcome: Result<UInt64, HostError>?) -> WorkOutcome? {
        switch outcome {
        case .success(let amount)?: WorkOutcome(amount: amount)
        case .failure(let error)?: WorkOutcome(error: error)
        case nil: nil
        }
    }
}
