import JSON
import OverlayHost
import Platform

/// The plans and results of a backup of one device, as JSON and as text.
struct BackupDocument {
    /// The backup of one app.
    struct Part {
        var app: String
        var bundleID: String
        var result: BackupResult?
        /// Why there is no plan; nil if there is one.
        var error: HostError?

        init(_ app: ReaderApp, _ result: BackupResult) {
            (self.app, bundleID, self.result) = (app.name, app.bundleID, result)
        }

        init(_ bundleID: String, _ name: String, _ error: HostError) {
            (app, self.bundleID, self.error) = (name, bundleID, error)
        }
    }

    private let parts: [Part]
    /// The UDID; nil if no app could be reached.
    private let device: String?
    private let isDryRun: Bool
    /// The error that ended the command before all apps were examined.
    private let failure: HostError?

    init(_ parts: [Part], device: String?, isDryRun: Bool, failure: HostError?) {
        (self.parts, self.device, self.isDryRun, self.failure) = (parts, device, isDryRun, failure)
    }

    /// The status of the failure, or of the error with which every app failed. Otherwise 1 if an app or a book
    /// failed, or annotations could not be read, and 0 if not.
    var exitStatus: ExitStatus {
        if let failure { return failure.exitStatus }
        // An app without books cannot fail.
        let tried = parts.filter { $0.error != nil || $0.result?.plan.isEmpty == false }
        if let first = tried.first?.error, tried.allSatisfy({ $0.error?.code == first.code }) {
            return first.exitStatus
        }
        let isGood = parts.allSatisfy {
            $0.error == nil && $0.result?.unreadAnnotations == nil
                && ($0.result?.results?.exitStatus ?? .done) == .done
        }
        return isGood ? .done : .someFailed
    }

    /// `{"device", "dry_run", "apps": [{"app", "bundle_id", "folder", "plan": […], "results": […]}]}`; an app that
    /// cannot be listed has `error` instead of the last three members. One that ended early, or whose annotations could
    /// not be read, has `error` beside them.
    private var json: JSONValue {
        let apps = parts.map { part in
            let results = part.result?.results.map { BatchDocument.json($0).object }
            let unread = part.result?.unreadAnnotations.map { ErrorReport.body($0) }
            return JSONValue.document([
                "app": .string(part.app), "bundle_id": .string(part.bundleID),
                "folder": part.result.map { .string($0.folder) },
                "plan": part.result.map { .array($0.plan.map(Self.json)) },
                "results": results??["results"],
                "error": part.error.map { ErrorReport.body($0) } ?? results??["error"] ?? unread,
            ])
        }
        return .document([
            "device": device.map { .string($0) }, "dry_run": .bool(isDryRun), "apps": .array(apps),
            "error": failure.map { ErrorReport.body($0) },
        ])
    }

    private static func json(_ row: BackupPlanRow) -> JSONValue {
        .document([
            "action": .string(row.action.rawValue), "path": .string(row.path), "title": .optional(row.title),
            "folder": .string(row.folder), "reason": .optional(row.reason),
            "bytes": .integer(Int64(clamping: row.bytes)),
        ])
    }

    /// Prints one line for each book that changes or should change, under the name of its app.
    func print(on console: Console) {
        guard !console.isJSON else {
            console.result(json) { "" }
            return
        }
        for part in parts {
            let name = TerminalText.sanitized(part.app)
            if let error = part.error {
                console.note(ErrorReport.text(error, label: name))
                continue
            }
            guard let result = part.result else { continue }
            var rows = result.results ?? BatchResult(rows: [])
            // The folder is printed only once.
            for place in rows.rows.indices {
                rows.rows[place].path = rows.rows[place].path.map { short($0, result) }
            }
            let planned = isDryRun ? result.plan.filter(Self.isShown) : []
            // Failures go to standard error, so the heading is printed only if there are other lines.
            let isHeaded = rows.rows.contains { $0.status != .failed } || !planned.isEmpty
            if parts.count > 1, isHeaded { console.line("\(name):") }
            BatchDocument.print(rows, on: console)
            for row in planned {
                for line in lines(row, console.width) { console.line(line) }
            }
            if let unread = result.unreadAnnotations {
                console.note(ErrorReport.text(unread, label: parts.count > 1 ? name : nil))
            }
            console.note((parts.count > 1 ? "\(name): " : "") + summary(result))
        }
        if parts.isEmpty { console.note("There is no reader app to back up.") }
    }

    private static func isShown(_ row: BackupPlanRow) -> Bool {
        // Books that were missing before are not reported again.
        row.action == .fetch || row.action == .update || (row.action == .gone && row.reason != nil)
    }

    /// A path relative to the app's folder.
    private func short(_ path: String, _ result: BackupResult) -> String {
        path.utf8.starts(with: (result.folder + "/").utf8)
            ? String(path.utf8.dropFirst(result.folder.utf8.count + 1)) ?? path : path
    }

    /// The row on one line, or on several if the terminal is too narrow.
    private func lines(_ row: BackupPlanRow, _ width: Int?) -> [String] {
        let parts =
            ["\(row.action.rawValue)  \(TerminalText.sanitized(row.path))"]
            + ["→  \(TerminalText.sanitized(row.folder))"] + (row.reason.map { ["(\($0))"] } ?? [])
        let line = parts.joined(separator: "  ")
        guard let width, TerminalText.width(of: line) > width else { return [line] }
        return parts.enumerated().flatMap { place, part in
            TerminalText.broken(part, to: max(16, width - 2)).enumerated().map { index, text in
                (place == 0 && index == 0 ? "" : "  ") + text
            }
        }
    }

    /// The number of books of each kind, and the folder: `2 to copy (1.4 MB), 310 unchanged. Folder: …`
    private func summary(_ result: BackupResult) -> String {
        func part(_ action: BackupAction, _ words: String, bytes: Bool = false) -> String? {
            let rows = result.plan.filter { $0.action == action }
            guard !rows.isEmpty else { return nil }
            let size = bytes ? " (\(ByteCount.text(rows.reduce(0) { $0 &+ $1.bytes })))" : ""
            return "\(rows.count) \(words)\(size)"
        }
        func done(_ status: ItemStatus, _ words: String) -> String? {
            let rows = result.results?.rows.count { $0.status == status } ?? 0
            return rows == 0 ? nil : "\(rows) \(words)"
        }
        let changes =
            result.results == nil
            ? [part(.fetch, "to copy", bytes: true), part(.update, "to update")]
            : [done(.fetched, "copied"), done(.updated, "updated"), done(.failed, "failed")]
        let parts =
            (changes + [part(.keep, "unchanged"), part(.gone, "gone from the device and kept")]).compactMap {
                $0
            }
        guard !parts.isEmpty else { return "There are no books." }
        return "\(parts.joined(separator: ", ")). Folder: \(TerminalText.sanitized(result.folder))"
    }
}
