import BibTeX
import BibTeXMerging

/// The rows of a plan for the entries that a merge changes.
enum EntryRows {
    /// A row for each entry in conflict, then one for each other entry that changes, in the order of the library.
    static func rows(_ report: MergeReport) -> [BibliographyPlanRow] {
        var rows: [BibliographyPlanRow] = []
        var conflicting: Set<String> = []
        for conflict in report.conflicts {
            conflicting.insert(conflict.key.lowercased())
            rows.append(
                BibliographyPlanRow(
                    .conflict, name(conflict), reason: reason(conflict.subject),
                    details: "host: \(shortened(conflict.host))\ndevice: \(shortened(conflict.device))",
                    changesDevice: true,
                    changesHost: true))
        }
        var places: [String: Int] = [:]
        for change in report.changes where !conflicting.contains(change.key.lowercased()) {
            let details = change.fields.prefix(mostFields).map(line).joined(separator: "\n")
            let label = "\(change.key)\n\(change.action.rawValue)"
            if let place = places[label], rows[place].details ?? "" == details || change.action != .changed {
                mark(&rows[place], change.side)
                continue
            }
            var row = BibliographyPlanRow(
                action(change.action), change.key, details: details.isEmpty ? nil : details)
            mark(&row, change.side)
            if places[label] == nil { places[label] = rows.count }
            rows.append(row)
        }
        for entry in report.heldBack {
            let side = entry.side == .host ? "in the folder" : "on the device"
            rows.append(
                BibliographyPlanRow(
                    .keep, entry.key, reason: "It was deleted \(side), and deletions are not to travel."))
        }
        return rows
    }

    /// More fields of one entry are not shown.
    private static let mostFields = 50

    /// A value as a row shows it: at most 1000 bytes.
    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > 1000 else { return text }
        return String(decoding: text.utf8.prefix(1000), as: UTF8.self) + "…"
    }

    private static func mark(_ row: inout BibliographyPlanRow, _ side: MergeSide) {
        if side == .device { row.changesDevice = true } else { row.changesHost = true }
    }

    private static func action(_ action: EntryChange.Action) -> BibliographyAction {
        switch action {
        case .added: .add
        case .changed: .update
        case .deleted: .remove
        }
    }

    private static func line(_ field: EntryChange.Field) -> String {
        let old = field.old.map { "\n- \(field.name) = \(shortened($0))" } ?? ""
        let new = field.new.map { "\n+ \(field.name) = \(shortened($0))" } ?? ""
        return String((old + new).dropFirst())
    }

    private static func name(_ conflict: MergeConflict) -> String {
        guard conflict.key.isEmpty else { return conflict.key }
        return switch conflict.subject {
        case .macro(let name), .group(let name), .info(let name): name
        default: "comment"
        }
    }

    private static func reason(_ subject: MergeConflict.Subject) -> String {
        switch subject {
        case .field(let name):
            "Both changed \(name): the value of the later date-modified stays, or the folder's without these dates; "
                + "the other is in \(name)-conflict-N."
        case .type: "Both changed the type: one stands, the other is in type-conflict-N."
        case .key: "Both changed the cite key: the host's stands, the other is in cite-key-conflict-N."
        case .deletion(.host): "It was deleted in the folder and changed on the device: it stays."
        case .deletion(.device): "It was deleted on the device and changed in the folder: it stays."
        case .twoEntries: "Both added an entry with this key: the device's gets another key."
        case .ambiguousKey: "Several entries have this key and cannot be told apart: all stay."
        case .damagedBlock: "An entry cannot be read on one side or is too large to merge: both forms stay."
        case .macro: "Both changed this macro: the device's gets another name."
        case .group: "Both changed this group: both stay."
        case .info: "Both changed this note on the document: both stay."
        case .comment: "Both changed a comment or preamble: both stay."
        }
    }
}
