import JSON
import OverlayHost

/// The plan of a sync and what came of it, as JSON and as text.
struct SyncDocument {
    private let result: SyncResult
    private let app: String
    private let device: String
    private let isDryRun: Bool

    init(_ result: SyncResult, _ session: HostSession, isDryRun: Bool) {
        (self.result, self.isDryRun) = (result, isDryRun)
        (app, device) = (session.app.name, session.device.udid)
    }

    /// `{"app", "device", "source", "dry_run", "plan": […], "results": […]}`.
    var json: JSONValue {
        let plan = result.plan.map { row in
            var changes: JSONValue?
            if let side = row.changes { changes = .string(side.rawValue) }
            return JSONValue.document([
                "action": .string(row.action.rawValue), "item": .optional(row.item),
                "path": .optional(row.path), "reason": .optional(row.reason),
                "bytes": .integer(Int64(clamping: row.bytes)), "changes": changes,
                "details": row.details.map { .string($0) },
            ])
        }
        let results = result.results.map { BatchDocument.json($0).object }
        return .document([
            "app": .string(app), "device": .string(device), "source": .string(result.source),
            "dry_run": .bool(isDryRun), "plan": .array(plan), "results": results??["results"],
            "error": results??["error"],
        ])
    }

    /// Prints it: without results the plan, else a line for each book about which something was to be done.
    func print(on console: Console) {
        guard !console.isJSON else {
            console.result(json) { "" }
            return
        }
        if let results = result.results {
            BatchDocument.print(results, on: console)
            let named = Set(results.rows.map(\.item))
            for row in result.plan where row.isNotable && !named.contains(row.item ?? row.path ?? "") {
                console.line(line(row))
            }
        } else {
            for row in result.plan where row.action != .keep || row.isNotable {
                console.line(line(row))
                for text in details(row) { console.line("    " + text) }
            }
        }
        console.note(summary)
    }

    private func line(_ row: SyncPlanRow) -> String {
        var line = "\(row.action.rawValue)  \(TerminalText.sanitized(row.item ?? row.path ?? ""))"
        let arrow =
            switch row.changes {
            case .source: "←"
            case .both: "↔"
            case .device, nil: "→"
            }
        if let path = row.path, row.item != nil, path != row.item {
            line += "  \(arrow)  \(TerminalText.sanitized(path))"
        } else if row.changes == .source || row.changes == .both {
            line += "  \(arrow)"
        }
        if let reason = row.reason { line += "  (\(TerminalText.sanitized(reason)))" }
        return line
    }

    /// The values of both sides, line by line.
    private func details(_ row: SyncPlanRow) -> [String] {
        (row.details ?? "").split(separator: "\n").map { TerminalText.sanitized(String($0)) }
    }

    /// How many books there are of each kind: `2 to add (1.4 MB), 1 conflict, 310 unchanged.` of a plan, and
    /// `2 added, 1 conflict, 310 unchanged.` of what was done.
    private var summary: String {
        func count(_ action: SyncAction, _ words: String) -> String? {
            let rows = result.plan.filter { $0.action == action }
            return rows.isEmpty ? nil : "\(rows.count) \(words)"
        }
        func size(_ action: SyncAction) -> String {
            let bytes = result.plan.filter { $0.action == action }.reduce(0) { $0 &+ $1.bytes }
            return bytes == 0 ? "" : " (\(ByteCount.text(bytes)))"
        }
        let conflicts = result.plan.count { $0.action == .conflict }
        let common = [
            count(.conflict, conflicts == 1 ? "conflict" : "conflicts"),
            count(.onlyOnDevice, "only on the device"), count(.keep, "unchanged"),
        ]
        let parts: [String?]
        if let results = result.results {
            func done(_ status: ItemStatus, _ words: String) -> String? {
                let rows = results.rows.filter { $0.status == status }
                return rows.isEmpty ? nil : "\(rows.count) \(words)"
            }
            parts = [
                done(.added, "added"), done(.updated, "updated"), done(.replaced, "replaced"),
                done(.fetched, "fetched"), done(.deleted, "deleted"), done(.skipped, "skipped"),
                done(.failed, "failed"),
            ]
        } else {
            parts = [
                count(.add, "to add" + size(.add)), count(.update, "to update"),
                count(.replace, "to replace" + size(.replace)), count(.remove, "to remove"),
            ]
        }
        let all = (parts + common).compactMap { $0 }
        return all.isEmpty ? "There is nothing to sync." : all.joined(separator: ", ") + "."
    }
}
