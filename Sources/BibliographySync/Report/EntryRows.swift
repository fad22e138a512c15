import BibTeX
import BibTeXMerging
import Platform

/// The rows of a plan for changes inside a library: one for each entry, and one for each macro, group or other block
/// that is in conflict or deleted.
struct EntryRows {
    /// The rows: conflicts first, then changes, then deletions that are held back.
    static func rows(_ report: MergeReport) -> [BibliographyPlanRow] {
        var rows = EntryRows()
        for conflict in report.conflicts { rows.add(conflict) }
        for change in report.changes { rows.add(change) }
        let gone = Set((report.tombstones + report.heldBack).filter { $0.kind == .group }.map(\.key))
        for change in report.groups where !gone.contains(change.name) { rows.add(change) }
        for deletion in report.tombstones where deletion.kind == .entry { rows.show(deletion) }
        for deletion in report.tombstones where deletion.kind != .entry { rows.add(deletion) }
        return rows.drafts.map(\.row) + report.heldBack.map(row)
    }

    /// Further fields of an entry are not shown.
    private static let mostFields = 50

    private var drafts: [Draft] = []
    /// The index of the row for each entry, by its key in lower case, and for each other conflict, by its label.
    private var places: [String: Int] = [:]

    /// A row while it is put together.
    private struct Draft {
        var action: BibliographyAction
        let item: String
        var reasons: [String] = []
        /// Both values of the conflicts, then the changed fields.
        var lines: [String] = []
        /// The fields in conflict, which are not listed again as changes.
        var conflicting: [String] = []
        var changesDevice = false
        var changesHost = false

        mutating func mark(_ side: MergeSide) {
            if side == .device { changesDevice = true } else { changesHost = true }
        }

        mutating func add(_ text: String, to lines: WritableKeyPath<Draft, [String]>) {
            if !self[keyPath: lines].contains(text) { self[keyPath: lines].append(text) }
        }

        func shows(_ field: String) -> Bool {
            !conflicting.contains { field == $0 || field.hasPrefix("\($0)-conflict-") }
        }

        var row: BibliographyPlanRow {
            BibliographyPlanRow(
                action, item, reason: reasons.isEmpty ? nil : reasons.joined(separator: " "),
                details: lines.isEmpty ? nil : lines.prefix(EntryRows.mostFields).joined(separator: "\n"),
                changesDevice: changesDevice, changesHost: changesHost)
        }
    }

    private mutating func place(_ label: String, _ draft: Draft) -> Int {
        if let place = places[label] { return place }
        places[label] = drafts.count
        drafts.append(draft)
        return drafts.count - 1
    }

    private static func label(_ key: String) -> String { "entry \(key.lowercased())" }

    // MARK: what is in conflict

    private mutating func add(_ conflict: MergeConflict) {
        let item = Self.name(conflict)
        let label = conflict.key.isEmpty ? "\(conflict.subject)" : Self.label(conflict.key)
        let place = place(label, Draft(action: .conflict, item: item))
        drafts[place].mark(.host)
        drafts[place].mark(.device)
        drafts[place].add(Self.reason(conflict), to: \.reasons)
        var prefix = ""
        switch conflict.subject {
        case .field(let name):
            drafts[place].conflicting.append(name)
            prefix = "\(name) = "
        case .type:
            drafts[place].conflicting.append("type")
            prefix = "type = "
        case .key:
            drafts[place].conflicting.append("cite key")
            prefix = "cite key = "
        default: break
        }
        func shown(_ value: String) -> String { value.isEmpty ? "deleted" : prefix + Self.shortened(value) }
        drafts[place].lines.append("host: \(shown(conflict.host))\ndevice: \(shown(conflict.device))")
    }

    private static func name(_ conflict: MergeConflict) -> String {
        guard conflict.key.isEmpty else { return conflict.key }
        return switch conflict.subject {
        case .macro(let name), .group(let name), .info(let name): name
        case .preamble: "preamble"
        case .text: "text"
        default: "comment"
        }
    }

    private static func reason(_ conflict: MergeConflict) -> String {
        let (stays, other) =
            conflict.winner == .device ? ("the device's", "the folder's") : ("the folder's", "the device's")
        let why = conflict.winner == .device ? ", because its date-modified is later" : ""
        return switch conflict.subject {
        case .field(let name):
            "Both changed \(name): \(stays) value stays\(why); \(other) is in \(name)-conflict-N."
        case .type: "Both changed the type: \(stays) stays\(why); \(other) is in type-conflict-N."
        case .key: "Both changed the cite key: \(stays) stays; \(other) is in cite-key-conflict-N."
        case .deletion(.host): "It was deleted in the folder and changed on the device: it stays."
        case .deletion(.device): "It was deleted on the device and changed in the folder: it stays."
        case .twoEntries: "Two works have this key: the device's gets another key."
        case .ambiguousKey: "Several entries have this key and cannot be told apart; all are kept."
        case .damagedBlock:
            "An entry cannot be read on one side or is too large to merge; both versions are kept."
        case .macro: "Both changed this macro: the device's gets another name."
        case .group: "Both changed this group: both stay."
        case .info: "Both changed this note on the document: both stay."
        case .comment: "Both changed a comment: both stay."
        case .preamble: "Both changed a preamble: both stay."
        case .text: "Both changed the text around an entry: both stay."
        }
    }

    // MARK: what changes

    private mutating func add(_ change: EntryChange) {
        let action = Self.action(change.action)
        let place = place(Self.label(change.key), Draft(action: action, item: change.key))
        drafts[place].mark(change.side)
        // If an entry is new on one side and changed on the other, the row says that it is changed.
        if drafts[place].action != .conflict, action == .update { drafts[place].action = .update }
        for field in change.fields.prefix(Self.mostFields) where drafts[place].shows(field.name) {
            drafts[place].add(Self.line(field), to: \.lines)
        }
    }

    private mutating func add(_ change: GroupChange) {
        let conflict = "\(MergeConflict.Subject.group(change.name))"
        if let place = places[conflict] { return drafts[place].mark(change.side) }
        let action: BibliographyAction = change.old == nil ? .add : change.new == nil ? .remove : .update
        let place = place("group \(change.name)", Draft(action: action, item: change.name))
        drafts[place].mark(change.side)
        if action == .update { drafts[place].action = .update }
        let old = change.old.map { "- \(Self.shortened($0))" }
        let new = change.new.map { "+ \(Self.shortened($0))" }
        drafts[place].add([old, new].compactMap { $0 }.joined(separator: "\n"), to: \.lines)
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

    /// A value as a row shows it, with at most 1000 bytes.
    private static func shortened(_ text: String) -> String {
        let beginning = text.prefix(bytes: 1000)
        return beginning.endIndex == text.endIndex ? text : beginning + "…"
    }

    // MARK: what is deleted

    private mutating func add(_ deletion: Tombstone) {
        var draft = Draft(action: .remove, item: Self.name(deletion))
        draft.reasons = ["\(Self.subject(deletion.kind)) was deleted \(Self.place(deletion.side))."]
        draft.lines = [Self.shown(deletion)]
        draft.mark(deletion.side == .host ? .device : .host)
        drafts.append(draft)
    }

    /// Shows the text of an entry in the row of its deletion.
    private mutating func show(_ deletion: Tombstone) {
        guard let place = places[Self.label(deletion.key)], drafts[place].action == .remove else { return }
        drafts[place].add(Self.shown(deletion), to: \.lines)
    }

    private static func row(_ deletion: Tombstone) -> BibliographyPlanRow {
        BibliographyPlanRow(
            .keep, name(deletion),
            reason:
                "\(subject(deletion.kind)) was deleted \(place(deletion.side)), and deletions are synced only with --delete."
        )
    }

    /// The text of a deleted item.
    private static func shown(_ deletion: Tombstone) -> String {
        "- " + shortened(deletion.encoding.text(deletion.text))
    }

    private static func place(_ side: MergeSide) -> String {
        side == .host ? "in the folder" : "on the device"
    }

    private static func name(_ deletion: Tombstone) -> String {
        switch deletion.kind {
        case .entry, .macro, .group: deletion.key
        case .preamble: "preamble"
        case .comment: "comment"
        case .info: "notes on the document"
        }
    }

    private static func subject(_ kind: Tombstone.Kind) -> String {
        switch kind {
        case .entry: "It"
        case .macro: "The macro"
        case .group: "The group"
        case .preamble: "A preamble"
        case .comment: "A comment"
        case .info: "What BibDesk notes on the document"
        }
    }
}
