import JSON
import OverlayHost
import Platform

/// The plan and result of a sync, as JSON and as text.
struct SyncDocument {
    private let result: SyncResult
    private let app: String
    private let device: String
    private let isDryRun: Bool
    /// Whether `--prefer` would resolve conflicts.
    private let canPrefer: Bool

    /// - Parameter preference: the side that was preferred; nil if none was.
    init(
        _ result: SyncResult, _ session: HostSession, isDryRun: Bool, preference: SyncPreference?
    ) {
        (self.result, self.isDryRun) = (result, isDryRun)
        canPrefer = preference == nil && !result.isTwoWay
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
                "details": row.details.map { .string($0) }, "title": row.title.map { .string($0) },
                "fails": row.fails ? .bool(true) : nil,
            ])
        }
        let results = result.results.map { BatchDocument.json($0).object }
        return .document([
            "app": .string(app), "device": .string(device), "source": .string(result.source),
            "dry_run": .bool(isDryRun), "plan": .array(plan), "results": results??["results"],
            "error": results??["error"],
        ])
    }

    /// Prints the plan if there are no results, otherwise a line for each book that had to change.
    func print(on console: Console) {
        guard !console.isJSON else {
            console.result(json) { "" }
            return
        }
        let planned = self.planned
        if let results = result.results {
            BatchDocument.print(results, on: console) { place, row in line(row, of: planned[place]) }
            let named = Set(results.rows.map(\.item))
            for row in result.plan where row.isNotable && !named.contains(row.item ?? row.path ?? "") {
                console.line(line(row))
            }
        } else {
            printPlan(on: console)
        }
        console.note(summary(planned))
        for advice in advice { console.note(advice) }
    }

    /// What to do about books that the sync left as they are.
    private var advice: [String] {
        var advice: [String] = []
        if result.plan.contains(where: \.isGone) {
            advice.append(
                result.plan.contains { $0.item != nil && !$0.isGone }
                    ? "To remove books that are gone from the source, use --delete."
                    : "The source has no books for this app. Check that it is the right one and is mounted.")
        }
        if canPrefer, result.plan.contains(where: { $0.action == .conflict }) {
            advice.append(
                "To resolve conflicts, use --prefer source or --prefer device. If a replacement would lose highlights "
                    + "or what the app has added to a file, add --yes.")
        }
        return advice
    }

    /// Prints the rows of the plan that do or say something. A reason that several books cannot be synced is printed
    /// once.
    private func printPlan(on console: Console) {
        let failures = RepeatedFailures(
            result.plan.map { row in
                let item = row.item ?? row.path ?? ""
                guard row.fails else { return ItemRow(item: item, status: .skipped) }
                return ItemRow(item: item, failure: HostError(.failed, row.reason ?? ""))
            })
        for (place, row) in result.plan.enumerated()
        where row.action != .keep || row.isNotable || row.isDuplicate || row.isGone || row.fails {
            let isTwin = row.fails && failures.twins[place] == nil
            if row.action == .remove, isTwin {
                // Each book that would be removed is named, but the reason only once.
                var nameOnly = row
                nameOnly.reason = nil
                console.line(line(nameOnly))
            }
            guard !isTwin else { continue }
            console.line(line(row))
            for text in details(row) { console.line("    " + text) }
            let others = (failures.twins[place] ?? []).filter { result.plan[$0].action != .remove }
            if !others.isEmpty {
                console.line(failures.sameText(others))
            }
        }
    }

    /// The plan's row for each result; results come in the order of the plan.
    private var planned: [SyncPlanRow?] {
        var rest = result.plan[...]
        return (result.results?.rows ?? []).map { row in
            guard let place = rest.firstIndex(where: { ($0.item ?? $0.path ?? "") == row.item }) else {
                return nil
            }
            rest = rest[(place + 1)...]
            return result.plan[place]
        }
    }

    private func line(_ row: SyncPlanRow) -> String {
        let word = row.fails ? "cannot sync" : Self.word(row.action)
        var line = "\(word)  \(TerminalText.sanitized(row.item ?? row.path ?? ""))"
        line += target(row.changes, item: row.item, path: row.path)
        if let title = row.title, !(row.path ?? "").contains(title) {
            line += "  (\(TerminalText.sanitized(title)))"
        }
        if let reason = row.reason { line += "  (\(TerminalText.sanitized(reason)))" }
        return line
    }

    /// The word for an action in a line of the plan.
    private static func word(_ action: SyncAction) -> String {
        action == .onlyOnDevice ? "only on device" : action.rawValue
    }

    /// The line for a result. A conflict is shown as one even if nothing was done about it.
    private func line(_ row: ItemRow, of planned: SyncPlanRow?) -> String {
        let word = planned?.action == .conflict ? Self.word(.conflict) : row.status.rawValue
        var line = "\(word)  \(TerminalText.sanitized(row.item))"
        line += target(planned?.changes, item: row.item, path: row.path)
        if let message = row.message { line += "  (\(TerminalText.sanitized(message)))" }
        return line
    }

    /// The side that changes, if both can; otherwise the book's path on the device.
    private func target(_ side: SyncSide?, item: String?, path: String?) -> String {
        switch side {
        case .device: return "  on the device"
        case .source: return "  in the folder"
        case .both: return "  on both sides"
        case nil: break
        }
        guard let path, item != nil, path != item else { return "" }
        return "  →  \(TerminalText.sanitized(path))"
    }

    /// The values of both sides, line by line.
    private func details(_ row: SyncPlanRow) -> [String] {
        (row.details ?? "").split(separator: "\n").map { TerminalText.sanitized(String($0)) }
    }

    /// The number of books of each kind: `2 to add (1.4 MB), 1 conflict, 310 unchanged.` for a plan, and
    /// `2 added, 1 conflict, 310 unchanged.` for results.
    ///
    /// - Parameter planned: the plan's row for each result.
    private func summary(_ planned: [SyncPlanRow?]) -> String {
        func words(_ count: Int, _ one: String, _ several: String? = nil) -> String? {
            count == 0 ? nil : "\(count) \(count == 1 ? one : several ?? one)"
        }
        func count(_ action: SyncAction) -> Int { result.plan.count { $0.action == action && !$0.fails } }
        let duplicates = result.plan.count { $0.isDuplicate }
        let gone = result.plan.count { $0.isGone }
        var kept = count(.keep) - duplicates - gone
        let parts: [String?]
        if let results = result.results {
            let rows = zip(results.rows, planned)
            // Books that were to be kept and failed are counted as failed.
            kept -= rows.count { $0.status == .failed && $1?.action == .keep && $1?.fails == false }
            func done(_ status: ItemStatus, _ word: String) -> String? {
                // Conflicts are counted separately.
                words(
                    rows.count { $0.status == status && (status == .failed || $1?.action != .conflict) }, word
                )
            }
            parts = [
                done(.added, "added"), done(.updated, "updated"), done(.replaced, "replaced"),
                done(.fetched, "fetched"), done(.deleted, "deleted"), done(.skipped, "skipped"),
                done(.failed, "failed"),
            ]
        } else {
            func planned(_ action: SyncAction, _ word: String) -> String? {
                let bytes = result.plan.filter { $0.action == action && !$0.fails }
                    .reduce(0) { $0 &+ $1.bytes }
                return words(count(action), word + (bytes == 0 ? "" : " (\(ByteCount.text(bytes)))"))
            }
            parts = [
                planned(.add, "to add"), planned(.update, "to update"), planned(.replace, "to replace"),
                planned(.remove, "to remove"),
                words(result.plan.count { $0.fails }, "cannot be synced"),
            ]
        }
        let common = [
            words(count(.conflict), "conflict", "conflicts"),
            words(count(.onlyOnDevice), "only on the device"), words(duplicates, "duplicate", "duplicates"),
            words(gone, "gone from the source"),
            words(max(0, kept), "unchanged"), words(count(.unsupported), "in no format that can be synced"),
        ]
        let all = (parts + common).compactMap { $0 }
        return all.isEmpty ? "There is nothing to sync." : all.joined(separator: ", ") + "."
    }
}
