/// The macros of a library with what they stand for.
public struct BibTeXMacros: Sendable {
    /// Texts that grow beyond this many bytes are not expanded. Otherwise a macro that uses another one twice, and so
    /// on line after line, could fill the memory.
    private static let longest = 1 << 16

    private var definitions: [String: BibTeXValue]
    private var expansions: [String: String] = [:]

    /// The months, which are predefined in every program.
    public static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]

    /// Creates the macros of a file. They override `shared` macros, which override the months. Names are compared
    /// without case. If a macro has several definitions, the last one is used. A definition by which a macro would
    /// use itself is left out.
    public init(_ file: [(name: String, value: BibTeXValue)], shared: [String: String] = [:]) {
        definitions = Dictionary(
            Self.months.map { (String($0.lowercased().prefix(3)), BibTeXValue($0)) },
            uniquingKeysWith: { $1 })
        for (name, text) in shared { definitions[name.lowercased()] = BibTeXValue(text) }
        var used: Set<String> = []
        var steps = 0
        for (name, value) in file {
            let (name, names) = (name.lowercased(), value.macroNames)
            if names.contains(name) || used.contains(name), uses(names, name, &steps) { continue }
            used.formUnion(names)
            definitions[name] = value
        }
        // Sorted, so that a cycle is always broken at the same place.
        for name in definitions.keys.sorted() { resolve(name) }
    }

    /// Whether a name is defined.
    public func defines(_ name: String) -> Bool { definitions[name.lowercased()] != nil }

    /// The text of a value. An undefined macro gives its name.
    public func text(_ value: BibTeXValue) -> String {
        if let text = value.plainText { return text }
        var text = ""
        for piece in value.pieces {
            switch piece {
            case .text(let one), .number(let one): text += one
            case .macro(let name): text += expansions[name.lowercased()] ?? name
            }
        }
        return text
    }

    /// The most steps of all searches for circular definitions, because a hostile file could cause very many.
    private static let mostSteps = 1 << 20

    /// Whether any of the macros is, or uses, the macro with a name. Also true if the search takes too long.
    private func uses(_ names: [String], _ name: String, _ steps: inout Int) -> Bool {
        var open = names
        var seen: Set<String> = []
        while let next = open.popLast() {
            if next == name { return true }
            steps += 1
            guard steps < Self.mostSteps else { return true }
            if seen.insert(next).inserted, let value = definitions[next] { open += value.macroNames }
        }
        return false
    }

    /// Expands a macro after those that it uses. A macro that uses itself gives its name. This does not recurse,
    /// because a file may define a long chain of macros, each by the one before it.
    private mutating func resolve(_ name: String) {
        var open: [String] = [name]
        var isOpen: Set<String> = []
        while let name = open.last {
            guard expansions[name] == nil, let value = definitions[name] else {
                open.removeLast()
                continue
            }
            let missing = value.macroNames.filter { expansions[$0] == nil && definitions[$0] != nil }
            if let circle = missing.first(where: { $0 == name || isOpen.contains($0) }) {
                expansions[circle] = circle
            } else if missing.isEmpty {
                let text = self.text(value)
                expansions[name] = text.utf8.count > Self.longest ? name : text
                open.removeLast()
            } else {
                isOpen.insert(name)
                open += missing
            }
        }
    }
}
