import BibTeX

/// Merges one entry field by field, into the host's block.
struct EntryMerger {
    /// The device's keys and macros that the merge renamed.
    struct Renames {
        /// New cite keys by their old ones in lower case, for the device's `crossref` fields.
        var keys: [String: String] = [:]
        /// New macro names by their old ones in lower case, for the device's values.
        var macros: [String: String] = [:]
    }

    /// The result.
    private(set) var block: BibTeXBlock
    /// Fields that both sides changed.
    private(set) var conflicts: [MergeConflict] = []
    /// Whether a value could not be written, for example because the host file's encoding lacks a letter. The result
    /// is then incomplete.
    private(set) var isUnwritable = false

    private let base: BibTeXBlock?
    private let host: BibTeXBlock
    private let device: BibTeXBlock
    private let oldFields: [String: BibTeXValue]
    private let hostFields: [String: BibTeXValue]
    private let deviceFields: [String: BibTeXValue]
    /// Field names in use, on any side or in the result.
    private var taken: Set<String>
    private let renames: Renames
    /// Returns how the host's file writes the name of a field.
    private let spelling: (String) -> String
    private let deviceIsLater: Bool
    private let key: String

    /// Merges an entry, or BibDesk's block of values about the document.
    init(
        base: BibTeXBlock?, host: BibTeXBlock, device: BibTeXBlock, renames: Renames,
        spelling: @escaping (String) -> String
    ) {
        block = host
        self.base = base
        self.host = host
        self.device = device
        oldFields = base.map { EntryContent($0).fields } ?? [:]
        hostFields = EntryContent(host).fields
        deviceFields = EntryContent(device).fields
        taken = Set(host.fieldNames).union(device.fieldNames)
        self.renames = renames
        self.spelling = spelling
        key = host.key ?? ""
        func modified(_ block: BibTeXBlock) -> BibTeXMoment? {
            block.value("date-modified")?.plainText.flatMap { BibTeXMoment($0) }
        }
        if let one = modified(host), let other = modified(device) {
            deviceIsLater = other > one
        } else {
            deviceIsLater = false
        }
        mergeType()
        var seen: Set<String> = []
        for name in [host, device, base].compactMap({ $0 }).flatMap(\.fieldNames) {
            guard seen.insert(name).inserted, !EntryContent.isLink(name) else { continue }
            mergeField(name)
        }
        mergeFiles()
        mergeURLs()
    }

    // MARK: fields

    private mutating func mergeType() {
        guard host.kind == .entry else { return }
        let outcome = ThreeWay.settle(base: base?.type, host: host.type, device: device.type)
        switch outcome {
        case .settled(let type):
            if let type, type != host.type { apply { $0.retyped(type) } }
        case .conflict(let ours, let theirs):
            if isOldConflict(BibTeXValue(theirs), "type") { return }
            if deviceIsLater { apply { $0.retyped(theirs) } }
            keep(deviceIsLater ? BibTeXValue(ours) : BibTeXValue(theirs), as: "type")
            note(.type, ours, theirs)
        }
    }

    private mutating func mergeField(_ name: String) {
        let ours = hostFields[name]
        let theirs = canonicalTheirs(name)
        switch ThreeWay.settle(base: oldFields[name], host: ours, device: theirs) {
        case .settled(let value):
            guard value != ours else { return }
            if value == nil {
                apply { $0.removing(name) }
            } else if let value = deviceValue(name) {
                set(name, value)
            }
        case .conflict(let ours, let theirs): resolve(name, ours, theirs)
        }
    }

    /// The device's value for comparison, with the new names of the result if the device changed it.
    private func canonicalTheirs(_ name: String) -> BibTeXValue? {
        guard let theirs = deviceFields[name] else { return nil }
        guard name == "crossref" || (!renames.macros.isEmpty && theirs != oldFields[name]) else {
            return theirs
        }
        return deviceValue(name)?.canonical(keepsLines: EntryContent.notes.contains(name))
    }

    /// The device's value as its file contains it, with the new names of the result.
    private func deviceValue(_ name: String) -> BibTeXValue? {
        device.value(name).map { Self.renaming($0, name, renames) }
    }

    /// A device value with the new names of the result.
    static func renaming(_ value: BibTeXValue, _ name: String, _ renames: Renames) -> BibTeXValue {
        var value = value
        if name == "crossref", let text = value.plainText, let key = renames.keys[text.lowercased()] {
            value = BibTeXValue(key)
        }
        value.pieces = value.pieces.map { piece in
            guard case .macro(let macro) = piece, let new = renames.macros[macro.lowercased()] else {
                return piece
            }
            return .macro(new)
        }
        return value
    }

    private mutating func resolve(_ name: String, _ ours: BibTeXValue, _ theirs: BibTeXValue) {
        guard let raw = deviceValue(name) else { return }
        switch name {
        case "date-added", "date-modified":
            // For `date-added`, the agreed date stays, and without one the earlier date counts. For a modification
            // date, the later one counts.
            if name == "date-added", let old = base?.value(name), !old.isEmpty { return set(name, old) }
            let moments = [ours, theirs].map { $0.plainText.flatMap { BibTeXMoment($0) } }
            // A value that is not a date is merged like any other text.
            guard let one = moments[0], let other = moments[1] else {
                return keepBoth(name, ours, theirs, raw)
            }
            if name == "date-added" ? other < one : other > one { set(name, raw) }
        case "keywords", "groups":
            if !mergeTokens(name, raw) { keepBoth(name, ours, theirs, raw) }
        default: keepBoth(name, ours, theirs, raw)
        }
    }

    /// Keeps both values: the later value in the field, and the earlier value in a conflict field.
    private mutating func keepBoth(
        _ name: String, _ ours: BibTeXValue, _ theirs: BibTeXValue, _ raw: BibTeXValue
    ) {
        if isOldConflict(raw, name) { return }
        if deviceIsLater {
            let own = host.value(name) ?? ours
            set(name, raw)
            keep(own, as: name)
        } else {
            keep(raw, as: name)
        }
        note(.field(name), ours.written, theirs.written)
    }

    /// Merges a list of words. Each word keeps the spelling of the side that has it.
    ///
    /// - Returns: false if a value cannot be split into words because it has macros, or braces around several words.
    private mutating func mergeTokens(_ name: String, _ theirs: BibTeXValue) -> Bool {
        let values = [base?.value(name) ?? BibTeXValue(""), host.value(name), theirs]
        let texts = values.compactMap { $0?.plainText }
        guard texts.count == 3 else { return false }
        // If other separators are used, a colon belongs to the word, as in `arXiv:1234`.
        let hasMarks = texts.contains { $0.contains { ",;".contains($0) } }
        let lists = texts.map { MultiValue.keywords($0, between: hasMarks ? ",;" : ",:;") }
        guard lists.joined().allSatisfy({ BibTeXValue($0).written == "{\($0)}" }) else { return false }
        let tokens = ThreeWay.list(
            base: lists[0], host: lists[1], device: lists[2], deviceLeads: deviceIsLater,
            identity: { TextFolding.caseless(TeXText.canonical($0)) })
        if tokens == lists[1] { return true }
        let leading = deviceIsLater ? texts[2] : texts[1]
        let separator = leading.contains(";") ? "; " : !hasMarks && leading.contains(":") ? ": " : ", "
        set(name, BibTeXValue(tokens.joined(separator: separator)))
        return true
    }

    // MARK: links

    private mutating func mergeFiles() {
        let old = base?.linkedFiles ?? []
        let ours = host.linkedFiles
        // The device cannot have removed links without a path, because it never has them. They follow the host.
        let without = ours.filter { $0.normalizedPath == nil }
        let known = Set((old + ours).filter { $0.normalizedPath == nil }.map(EntryContent.identity))
        let theirs = device.linkedFiles.filter { !known.contains(EntryContent.identity($0)) }
        let merged =
            ThreeWay.list(
                base: old.filter { $0.normalizedPath != nil }, host: ours.filter { $0.normalizedPath != nil },
                device: theirs, identity: EntryContent.identity
            )
            .map { link in
                // If the host removed a path and gets it back from the device, the agreed state has the alias for it.
                ours.contains(link)
                    ? link : old.first { EntryContent.identity($0) == EntryContent.identity(link) } ?? link
            }
        let ordered =
            merged.map(EntryContent.identity)
            == ours.filter { $0.normalizedPath != nil }.map(EntryContent.identity)
        guard !ordered else { return }
        let spelling = spelling
        apply { BibTeXDocument.setting(merged + without, of: $0, named: spelling) }
    }

    private mutating func mergeURLs() {
        let old = base?.linkedURLs ?? []
        let ours = host.linkedURLs
        let theirs = device.linkedURLs.map { old.contains($0) ? $0 : Self.renaming($0, "bdsk-url", renames) }
        let merged = ThreeWay.list(base: old, host: ours, device: theirs, identity: EntryContent.identity)
        guard merged != ours else { return }
        for name in block.fieldNames where name.hasPrefix("bdsk-url-") && EntryContent.isLink(name) {
            let number = Int(name.dropFirst("bdsk-url-".count)) ?? 0
            if number > merged.count { apply { $0.removing(name) } }
        }
        for (place, url) in merged.enumerated() where block.value("bdsk-url-\(place + 1)") != url {
            set("bdsk-url-\(place + 1)", url)
        }
    }

    // MARK: writing

    private mutating func set(_ name: String, _ value: BibTeXValue) {
        let label = spelling(name)
        // Use the device's value as its file contains it.
        if let field = device.field(name), device.value(of: field) == value,
            let changed = block.setting(label, to: value, written: device.text(field.value))
        {
            block = changed
            return
        }
        apply { $0.setting(label, to: value) }
    }

    /// Whether an earlier merge without an agreed state has kept the device's value already, so that repeating it
    /// changes nothing.
    private func isOldConflict(_ value: BibTeXValue, _ name: String) -> Bool {
        base == nil && !deviceIsLater && isKept(value, name)
    }

    /// Whether the host's entry keeps this value from an earlier conflict.
    private func isKept(_ value: BibTeXValue, _ name: String) -> Bool {
        let canonical = value.canonical(keepsLines: EntryContent.notes.contains(name))
        return hostFields.contains { $0.key.hasPrefix("\(name)-conflict-") && $0.value == canonical }
    }

    /// Stores the losing value in a conflict field.
    private mutating func keep(_ value: BibTeXValue, as name: String) {
        guard !isKept(value, name) else { return }
        var number = 1
        while !taken.insert("\(name)-conflict-\(number)").inserted { number += 1 }
        set("\(name)-conflict-\(number)", value)
    }

    private mutating func apply(_ body: (BibTeXBlock) -> BibTeXBlock?) {
        guard let changed = body(block) else {
            isUnwritable = true
            return
        }
        block = changed
    }

    private mutating func note(_ subject: MergeConflict.Subject, _ ours: String, _ theirs: String) {
        conflicts.append(
            MergeConflict(
                key: key, subject: subject, host: ours, device: theirs,
                winner: deviceIsLater ? .device : .host))
    }
}
