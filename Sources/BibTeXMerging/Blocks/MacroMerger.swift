import BibTeX

/// Merges macros name by name.
struct MacroMerger {
    /// What both sides defined differently.
    private(set) var conflicts: [MergeConflict] = []
    /// The new names of macros of the device, by the old ones in lower case.
    private(set) var renamed: [String: String] = [:]
    /// Macros to define: name and value.
    private(set) var added: [(name: String, value: BibTeXValue)] = []
    /// Macros with another value, by name in lower case.
    private(set) var changed: [String: BibTeXValue] = [:]
    /// Macros to remove, in lower case.
    private(set) var removed: [String] = []

    init(base: BibTeXDocument, host: BibTeXDocument, device: BibTeXDocument) {
        let old = Self.definitions(base)
        let ours = Self.definitions(host)
        let theirs = Self.definitions(device)
        var taken = Set(ours.values.keys).union(theirs.values.keys)
        for name in ours.order + theirs.order.filter({ ours.values[$0] == nil }) {
            let outcome = ThreeWay.settle(
                base: old.values[name]?.canonical(), host: ours.values[name]?.canonical(),
                device: theirs.values[name]?.canonical())
            switch outcome {
            case .settled(let value):
                guard value != ours.values[name]?.canonical() else { continue }
                if value == nil {
                    removed.append(name)
                } else if let value = theirs.values[name] {
                    if ours.values[name] == nil { added.append((name, value)) } else { changed[name] = value }
                }
            case .conflict(let own, let other):
                guard let value = theirs.values[name] else { continue }
                var new = "\(name)-conflict"
                var number = 2
                while taken.contains(new), theirs.values[new]?.canonical() != other {
                    new = "\(name)-conflict-\(number)"
                    number += 1
                }
                taken.insert(new)
                renamed[name] = new
                if ours.values[new] == nil, theirs.values[new] == nil { added.append((new, value)) }
                conflicts.append(
                    MergeConflict(key: "", subject: .macro(name), host: own.written, device: other.written))
            }
        }
    }

    /// The macros of a document, by names in lower case; of two definitions the later one.
    static func definitions(_ document: BibTeXDocument) -> (order: [String], values: [String: BibTeXValue]) {
        var order: [String] = []
        var values: [String: BibTeXValue] = [:]
        for block in document.blocks where block.kind == .string && !block.isOpaque {
            for field in block.fields where field.isReadable {
                let name = block.name(of: field)
                if values.updateValue(block.value(of: field), forKey: name) == nil { order.append(name) }
            }
        }
        return (order, values)
    }

    /// Changes the document. A macro that an entry of the result still uses is not removed.
    func apply(to document: inout BibTeXDocument) {
        for index in document.blocks.indices where document.blocks[index].kind == .string {
            for name in document.blocks[index].fieldNames {
                guard let value = changed[name] else { continue }
                document.change(index) { $0.setting(name, to: value) }
            }
        }
        let used = removed.isEmpty ? [] : Self.used(document)
        for name in removed where !used.contains(name) {
            for index in document.blocks.indices.reversed() where document.blocks[index].kind == .string {
                let block = document.blocks[index]
                guard block.value(name) != nil else { continue }
                if block.fields.count == 1 {
                    document.remove(index)
                } else {
                    document.change(index) { $0.removing(name) }
                }
            }
        }
        for (name, value) in added {
            document.add(Array("@string{\(name) = \(value.written)}".utf8))
        }
    }

    private static func used(_ document: BibTeXDocument) -> Set<String> {
        var used: Set<String> = []
        for block in document.blocks where block.kind == .entry || block.kind == .string {
            for field in block.fields where field.isReadable {
                used.formUnion(block.value(of: field).macroNames)
            }
        }
        return used
    }
}
