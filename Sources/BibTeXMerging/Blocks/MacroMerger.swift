import BibTeX

/// Merges macros by name.
struct MacroMerger {
    /// The macros that both sides defined differently.
    private(set) var conflicts: [MergeConflict] = []
    /// The new names of renamed macros of the device, by their old names in lower case.
    private(set) var renamed: [String: String] = [:]
    /// Macros to define, with their values.
    private(set) var added: [(name: String, value: BibTeXValue)] = []
    /// Macros with a new value, by name in lower case.
    private(set) var changed: [String: BibTeXValue] = [:]
    /// The device's values as its file contains them, by name in lower case.
    private var written: [String: String] = [:]
    /// The device's blocks that define new macros, by the first new name in each, in lower case.
    private var placesOfDevice: [String: Int] = [:]
    /// Macros that one side deleted and the other left unchanged.
    private(set) var deletions: [Deletion] = []

    /// The deletion of a macro.
    struct Deletion {
        /// Its name in lower case.
        let name: String
        /// Its value.
        let value: BibTeXValue
        /// The side that deleted it.
        let side: MergeSide

        /// A block that defines the macro.
        var definition: [UInt8] { Array("@string{\(name) = \(value.written)}".utf8) }
        /// The tombstone that keeps the macro.
        var tombstone: Tombstone { Tombstone(.macro, name, side, definition) }
    }

    init(base: BibTeXDocument, host: BibTeXDocument, device: BibTeXDocument) {
        let old = Self.definitions(base)
        let ours = Self.definitions(host)
        let theirs = Self.definitions(device)
        var taken = Set(ours.values.keys).union(theirs.values.keys)
        var placed: Set<Int> = []
        for name in ours.order + theirs.order.filter({ ours.values[$0] == nil }) {
            let outcome = ThreeWay.settle(
                base: old.values[name]?.canonical(), host: ours.values[name]?.canonical(),
                device: theirs.values[name]?.canonical())
            switch outcome {
            case .settled(let value):
                guard value != ours.values[name]?.canonical() else {
                    if ours.values[name] == nil, let left = theirs.values[name] {
                        deletions.append(Deletion(name: name, value: left, side: .host))
                    }
                    continue
                }
                if value == nil {
                    guard let left = ours.values[name] else { continue }
                    deletions.append(Deletion(name: name, value: left, side: .device))
                } else if let value = theirs.values[name] {
                    guard let place = theirs.places[name] else { continue }
                    if ours.values[name] == nil {
                        added.append((name, value))
                        // The comments before a block are added with its first new macro.
                        if placed.insert(place).inserted { placesOfDevice[name] = place }
                    } else {
                        changed[name] = value
                    }
                    let block = device.blocks[place]
                    written[name] = block.field(name).map { block.text($0.value) }
                }
            case .conflict(let own, let other):
                guard let value = theirs.values[name] else { continue }
                var new = "\(name)-conflict"
                var number = 2
                func isKept() -> Bool {
                    theirs.values[new]?.canonical() == other || ours.values[new]?.canonical() == other
                }
                while taken.contains(new), !isKept() {
                    new = "\(name)-conflict-\(number)"
                    number += 1
                }
                taken.insert(new)
                renamed[name] = new
                // An earlier merge without an agreed state has already kept this value.
                if old.values.isEmpty, ours.values[new] != nil { continue }
                if ours.values[new] == nil, theirs.values[new] == nil { added.append((new, value)) }
                conflicts.append(
                    MergeConflict(key: "", subject: .macro(name), host: own.written, device: other.written))
            }
        }
    }

    /// The macros of a document, by name in lower case. If a macro has several definitions, the last one is used.
    struct Definitions {
        /// The names, in order.
        var order: [String] = []
        /// The values.
        var values: [String: BibTeXValue] = [:]
        /// The indexes of their blocks.
        var places: [String: Int] = [:]
    }

    /// The macros of a document.
    static func definitions(_ document: BibTeXDocument) -> Definitions {
        var found = Definitions()
        for (index, block) in document.blocks.enumerated() where block.kind == .string && !block.isOpaque {
            for field in block.fields where field.isReadable {
                let name = block.name(of: field)
                if found.values.updateValue(block.value(of: field), forKey: name) == nil {
                    found.order.append(name)
                }
                found.places[name] = index
            }
        }
        return found
    }

    /// Separates the deletions of macros that a document uses, directly or through other macros, from the others. If
    /// only the host's file uses a macro and does not define it, that use is ignored.
    func settled(
        in document: BibTeXDocument, host: BibTeXDocument
    ) -> (gone: [Deletion], used: [Deletion]) {
        guard !deletions.isEmpty else { return ([], []) }
        let doomed = Dictionary(deletions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let uses = Self.uses(document, besides: Set(doomed.keys))
        let own = Self.uses(host, besides: [])
        var open = uses.keys.filter {
            doomed[$0]?.side == .device || uses[$0, default: 0] > own[$0, default: 0]
        }
        var used: Set<String> = []
        while let name = open.popLast() {
            guard let deletion = doomed[name], used.insert(name).inserted else { continue }
            open += deletion.value.macroNames
        }
        return (deletions.filter { !used.contains($0.name) }, deletions.filter { used.contains($0.name) })
    }

    /// Restores macros that the host deleted but that are still used, before the first macro that uses one of them.
    static func restore(_ used: [Deletion], to document: inout BibTeXDocument) {
        let back = used.filter { $0.side == .host }
        guard !back.isEmpty else { return }
        let names = Set(back.map(\.name))
        let user = document.blocks.firstIndex { block in
            block.kind == .string
                && block.fields.contains { !names.isDisjoint(with: block.value(of: $0).macroNames) }
        }
        document.add(back.map { ($0.definition, "") }, before: user)
    }

    /// Defines the new macros in the document and changes the values of others.
    ///
    /// - Parameter comments: returns the device's new comments before one of its blocks.
    func apply(to document: inout BibTeXDocument, comments: (Int) -> String) {
        var added = added
        for index in document.blocks.indices
        where document.blocks[index].kind == .string && !document.blocks[index].isOpaque {
            let names = Set(document.blocks[index].fieldNames)
            for name in names.sorted() {
                guard let value = changed[name] else { continue }
                // The later definition counts, so a macro is defined again if its definition cannot be changed.
                let isWritten =
                    names.count <= Self.largestBlock
                    && document.change(index) { block in
                        written[name].flatMap { block.setting(name, to: value, written: $0) }
                            ?? block.setting(name, to: value)
                    }
                if !isWritten { added.append((name, value)) }
            }
        }
        document.add(
            added.map { name, value in
                (Array("@string{\(name) = \(value.written)}".utf8), placesOfDevice[name].map(comments) ?? "")
            })
        order(&document)
    }

    /// The most definitions that are moved, so that circular macros do not cause an endless loop.
    private static let mostMoves = 100

    /// Moves definitions before the macros that use them, as BibTeX needs them, if this merge has added or changed
    /// either.
    private func order(_ document: inout BibTeXDocument) {
        let own = Set(added.map { $0.name.lowercased() }).union(changed.keys)
        guard !own.isEmpty else { return }
        var moved: Set<[UInt8]> = []
        for _ in 0..<Self.mostMoves {
            guard let (user, definition) = Self.misplaced(in: document, own) else { return }
            let block = document.blocks[definition]
            let body = Array(block.encoding.text(block.body).utf8)
            guard moved.insert(body).inserted else { return }
            document.remove([definition])
            document.add([(body, "")], before: user)
        }
    }

    /// The first block that uses a macro defined only by a later block, and that later block.
    ///
    /// - Parameter own: names in lower case. The macro that is used or the macro that uses it must be one of them.
    private static func misplaced(
        in document: BibTeXDocument, _ own: Set<String>
    ) -> (user: Int, definition: Int)? {
        let blocks = document.blocks.enumerated().filter {
            $0.element.kind == .string && !$0.element.isOpaque
        }
        var places: [String: Int] = [:]
        for (index, block) in blocks.reversed() { for name in block.fieldNames { places[name] = index } }
        var defined: Set<String> = []
        for (index, block) in blocks {
            for field in block.fields where field.isReadable {
                let name = block.name(of: field)
                for used in block.value(of: field).macroNames
                where !defined.contains(used) && (own.contains(used) || own.contains(name)) {
                    if let place = places[used], place > index { return (index, place) }
                }
                defined.insert(name)
            }
        }
        return nil
    }

    /// Removes the definitions of macros, named in lower case, from a document.
    static func remove(_ gone: Set<String>, from document: inout BibTeXDocument) {
        guard !gone.isEmpty else { return }
        var emptied: Set<Int> = []
        for index in document.blocks.indices
        where document.blocks[index].kind == .string && !document.blocks[index].isOpaque {
            let names = Set(document.blocks[index].fieldNames)
            if names.isSubset(of: gone), !names.isEmpty {
                emptied.insert(index)
            } else if names.count <= largestBlock {
                for name in names.sorted() where gone.contains(name) {
                    document.change(index) { $0.removing(name) }
                }
            }
        }
        document.remove(emptied)
    }

    /// The most macros of a block that is edited in place, because each change parses the block again.
    private static let largestBlock = 500

    /// How often entries, preambles and macros other than `doomed` use each macro.
    private static func uses(_ document: BibTeXDocument, besides doomed: Set<String>) -> [String: Int] {
        var uses: [String: Int] = [:]
        for block in document.blocks {
            switch block.kind {
            case .entry, .string, .info:
                for field in block.fields where field.isReadable {
                    if block.kind == .string, doomed.contains(block.name(of: field)) { continue }
                    for name in block.value(of: field).macroNames { uses[name, default: 0] += 1 }
                }
            case .preamble: for name in block.preambleMacros { uses[name, default: 0] += 1 }
            case .comment, .text: break
            }
        }
        return uses
    }
}
