/// The name of an author or editor, in the four parts that BibTeX knows.
public struct PersonName: Hashable, Sendable {
    /// First names.
    public var first: String
    /// The particle before the last name, such as `van der`.
    public var von: String
    /// The last name.
    public var last: String
    /// A suffix of the name, such as `Jr.`.
    public var junior: String

    /// Creates a name with these parts.
    public init(first: String = "", von: String = "", last: String, junior: String = "") {
        self.first = first
        self.von = von
        self.last = last
        self.junior = junior
    }

    /// Reads one name in any of BibTeX's forms: `First von Last`, `von Last, First` or `von Last, Jr, First`.
    public init(parsing text: String) {
        var parts = NameTokens.split(text)
        if parts.count > 3 {
            // With more commas than a name has, everything after the second belongs to the first names.
            parts = [parts[0], parts[1], parts[2...].flatMap { $0 }]
        }
        let words = parts.first ?? []
        if parts.count < 2 {
            // Only the first run of particles counts: the last name of `Jean de La fontaine` is `La fontaine`.
            let start = words.dropLast().firstIndex(where: NameTokens.isParticle)
            let vons = words.dropLast()[(start ?? words.indices.dropLast().endIndex)...]
                .prefix(while: NameTokens.isParticle)
            self.init(
                first: Self.joined(words[..<vons.startIndex]), von: Self.joined(vons),
                last: Self.joined(words[vons.endIndex...]))
        } else {
            let vons = words.dropLast().prefix(while: NameTokens.isParticle)
            self.init(
                first: Self.joined(parts[parts.count - 1]), von: Self.joined(vons),
                last: Self.joined(words[vons.endIndex...]),
                junior: parts.count > 2 ? Self.joined(parts[1]) : "")
        }
    }

    /// The names in a field; a final `others` counts as a name. A list with unbalanced braces is a single name.
    public static func list(_ text: String) -> [PersonName] {
        NameTokens.names(text).map { PersonName(parsing: $0) }
    }

    /// The names of a list without a final `others`, which means further persons.
    public static func withoutOthers(_ names: [PersonName]) -> [PersonName] {
        names.last == PersonName(last: "others") ? names.dropLast() : names
    }

    private static func joined(_ words: some Sequence<String>) -> String { words.joined(separator: " ") }

    /// The name as printed: `First von Last, Jr`, without TeX.
    public var display: String {
        let name = TeXText.plain(Self.joined([first, von, last].filter { !$0.isEmpty }))
        return junior.isEmpty ? name : name + ", " + TeXText.plain(junior)
    }

    /// The name as sorted and listed: `von Last, Jr, First`, without TeX.
    public var inverted: String {
        let last = TeXText.plain(Self.joined([von, last].filter { !$0.isEmpty }))
        return ([last] + [junior, first].filter { !$0.isEmpty }.map(TeXText.plain)).joined(separator: ", ")
    }

    /// Whether two names may belong to the same person: the last names are the same, and so are the first names, one
    /// after the other, as far as both go. As in BibDesk, an initial is a name of its own.
    public func resembles(_ other: PersonName) -> Bool {
        func folded(_ text: String) -> String { TextFolding.caseless(TeXText.plain(text)) }
        guard folded(Self.joined([von, last])) == folded(Self.joined([other.von, other.last])) else {
            return false
        }
        func words(_ text: String) -> [Substring] {
            folded(text).split { $0.isWhitespace || $0 == "." || $0 == "-" }
        }
        return zip(words(first), words(other.first)).allSatisfy { $0 == $1 }
    }
}

/// Splits lists of names into names, and names into words, as BibTeX does.
enum NameTokens {
    /// The names of a list, split at the word `and` outside braces.
    static func names(_ text: String) -> [String] {
        let words = tokens(text, cutsAtCommas: false)
        guard let words = words?.first else { return [TextFolding.collapsed(text)].filter { !$0.isEmpty } }
        var names: [[String]] = [[]]
        for word in words {
            if word.lowercased() == "and" {
                names.append([])
            } else {
                names[names.count - 1].append(word)
            }
        }
        return names.filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
    }

    /// The words of a name, grouped by the commas outside braces.
    static func split(_ text: String) -> [[String]] { tokens(text, cutsAtCommas: true) ?? [[text]] }

    /// Words separated by white space outside braces, in lists separated by commas; nil if the braces do not balance.
    private static func tokens(_ text: String, cutsAtCommas: Bool) -> [[String]]? {
        var lists: [[String]] = [[]]
        var word = String.UnicodeScalarView()
        var depth = 0
        func end() {
            if !word.isEmpty { lists[lists.count - 1].append(String(word)) }
            word = String.UnicodeScalarView()
        }
        for scalar in text.unicodeScalars {
            if scalar == "{" { depth += 1 }
            if scalar == "}" { depth -= 1 }
            if depth < 0 { return nil }
            if depth == 0, scalar.properties.isWhitespace {
                end()
            } else if depth == 0, cutsAtCommas, scalar == "," {
                end()
                lists.append([])
            } else {
                word.append(scalar)
            }
        }
        end()
        return depth == 0 ? lists : nil
    }

    /// Whether a word is a particle: its first letter outside braces is a lower-case ASCII letter.
    ///
    /// BibDesk decodes accents before it splits, so a name such as `ørsted` begins with a letter outside ASCII.
    /// btparse takes it for a last name, and so does this.
    static func isParticle(_ word: String) -> Bool {
        var depth = 0
        for scalar in word.unicodeScalars {
            if scalar == "{" { depth += 1 }
            if scalar == "}" { depth -= 1 }
            guard depth == 0, scalar.properties.isAlphabetic else { continue }
            return ("a"..."z").contains(scalar)
        }
        return false
    }
}
