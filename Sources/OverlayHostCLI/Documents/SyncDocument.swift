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
    private var json: JSONValue {
        let plan = result.plan.map { row in
            JSONValue.document([
                "action": .string(row.action.rawValue), "item": .optional(row.item),
                "path": .optional(row.path), "reason": .optional(row.reason),
                "bytes": .integer(Int64(clamping: row.bytes)),
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
        } else {
            for row in result.plan where row.action != .keep { console.line(line(row)) }
        }
        console.note(summary)
    }

    private func line(_ row: SyncPlanRow) -> String {
        var line = "\(row.action.rawValue)  \(TerminalText.sanitized(row.item ?? row.path ?? ""))"
        if let path = row.path, row.item != nil, path != row.item {
            line += "  →  \(TerminalText.sanitized(path))"
        }
        if let reason = row.reason { line += "  (\(TerminalText.sanitized(reason)))" }
        return line
    }

    /// How many books the plan has of each kind: `2 to add (1.4 MB), 1 conflict, 310 unchanged.`
    private var summary: String {
        func part(_ action: SyncAction, _ words: String, bytes: Bool = false) -> String? {
            let rows = result.plan.filter { $0.action == action }
            guard !rows.isEmpty else { return nil }
            let size = bytes ? " (\(ByteCount.text(rows.reduce(0) { $0 &+ $1.bytes })))" : ""
            return "\(rows.count) \(words)\(size)"
        }
        let verb = isDryRun ? "to " : "planned to "
        let conflicts = result.plan.count { $0.action == .conflict }
        let parts = [
            part(.add, verb + "add", bytes: true), part(.update, verb + "update"),
            part(.replace, verb + "replace", bytes: true), part(.remove, verb + "remove"),
            part(.conflict, conflicts == 1 ? "conflict" : "conflicts"),
            part(.onlyOnDevice, "only on the device"), part(.keep, "unchanged"),
        ].compactMap { $0 }
        return parts.isEmpty ? "There are no books in the source." : parts.joined(separator: ", ") + "."
    }
}
