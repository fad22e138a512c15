import ArgumentParser
import JSON
import OverlayHost

/// The results for many items, as JSON and as text.
enum BatchDocument {
    /// `{"app", "overlay", "device", "results": […]}` in input order, with `error` if the whole command ended early,
    /// and with `dry_run` if nothing was done.
    static func json(_ result: BatchResult, at place: BookOrigin? = nil, isDryRun: Bool = false) -> JSONValue
    {
        var document = place?.members ?? JSONObject()
        if isDryRun { document["dry_run"] = .bool(true) }
        document["results"] = .array(result.rows.map(json))
        if let failure = result.failure { document["error"] = ErrorReport.document(failure).object?["error"] }
        return .object(document)
    }

    /// One item.
    static func json(_ row: ItemRow) -> JSONValue {
        .document([
            "item": .string(row.item), "path": .optional(row.path), "status": .string(row.status.rawValue),
            "message": .optional(row.message), "hint": row.hint.map { .string($0) },
            "hint_code": row.hintCode.map { .string($0.rawValue) },
            "code": row.code.map { .string($0.rawValue) }, "native": row.native.map { .string("\($0)") },
        ])
    }

    /// Prints a line for each item; failures go to standard error. Repeated messages are printed once. After a dry
    /// run, the lines say what would be done.
    ///
    /// - Parameter line: formats a row that did not fail, given its index and the row without shared remarks.
    static func print(
        _ result: BatchResult, at place: BookOrigin? = nil, isDryRun: Bool = false, on console: Console,
        line: ((Int, ItemRow) -> String)? = nil
    ) {
        defer { if isDryRun { DryRun.note(console) } }
        if console.isJSON {
            console.result(json(result, at: place, isDryRun: isDryRun)) { "" }
            return
        }
        let remarks = RepeatedRemarks(result.rows)
        let failures = RepeatedFailures(remarks.rows)
        for (place, row) in remarks.rows.enumerated() {
            guard row.status != .failed else {
                if let twins = failures.twins[place] {
                    console.explain(failure(row))
                    if !twins.isEmpty { console.diagnose(failures.sameText(twins)) }
                }
                continue
            }
            console.line(line?(place, row) ?? text(row, isDryRun: isDryRun))
        }
        for remark in remarks.common { console.line(TerminalText.sanitized(remark)) }
        if let failure = result.failure, !isSaid(failure, by: result.rows) { console.report(failure) }
    }

    /// A line such as `added  book.epub  →  Documents/Book.epub  (message)`.
    private static func text(_ row: ItemRow, isDryRun: Bool) -> String {
        let isPlan = isDryRun && row.status != .skipped
        var line = "\(isPlan ? "would be " : "")\(row.status.rawValue)  \(TerminalText.sanitized(row.item))"
        if let path = row.path, path != row.item { line += "  →  \(TerminalText.sanitized(path))" }
        if let message = row.message { line += "  (\(TerminalText.sanitized(message)))" }
        return line
    }

    private static func failure(_ row: ItemRow) -> HostError {
        HostError(
            row.code ?? .failed, row.message ?? "Failed.", subject: row.item, hint: row.hint,
            hintCode: row.hintCode, native: row.native)
    }

    /// Whether the rows already give the reason why the command ended, and advice.
    static func isSaid(_ failure: HostError, by rows: [ItemRow]) -> Bool {
        let failed = rows.filter { $0.status == .failed }
        // Rows have their own wording and advice for an unplugged device.
        if failure.code == .deviceGone {
            return failed.contains { $0.code == .deviceGone && $0.hint != nil }
        }
        let saying = failed.filter {
            $0.code == failure.code && $0.message == failure.message
                && (failure.hint == nil || $0.hint == failure.hint)
        }
        // After a cancellation, rows with other reasons could look like the cause of the end.
        return failure.code == .cancelled
            ? !saying.isEmpty && saying.count == failed.count : !saying.isEmpty
    }
}

/// Shared texts of all commands with `--dry-run`.
enum DryRun {
    /// The help of the option.
    static let help = ArgumentHelp("Show what would be done without changing anything.")

    /// Notes that nothing was changed.
    static func note(_ console: Console) { console.note("Nothing was changed.") }
}
