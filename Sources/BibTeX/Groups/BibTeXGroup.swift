import Platform
import PropertyLists

/// A group that the library's file stores. Groups by keyword or author are not stored.
public struct BibTeXGroup: Sendable, Equatable {
    /// The kinds of stored groups, in the order in which BibDesk writes them.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A list of cite keys.
        case fixed = "Static"
        /// Conditions on entries.
        case smart = "Smart"
        /// Entries from a URL. Only the name and address are read; nothing is fetched.
        case url = "URL"
        /// Entries that a program prints. Only the name and path are read; nothing is run.
        case script = "Script"
    }

    /// The kind.
    public let kind: Kind
    /// The name. Several groups in a file may have the same name.
    public let name: String
    /// The stored content, as one value.
    package let stored: PropertyList

    package init(kind: Kind, stored: PropertyList) {
        self.kind = kind
        self.stored = stored
        name = GroupEscaping.decoded(stored["group name"]?.string ?? "")
    }

    /// Creates a static group.
    public init(name: String, keys: [String]) {
        self.init(
            kind: .fixed,
            stored: [
                "group name": .string(GroupEscaping.encoded(name)),
                "keys": .string(keys.joined(separator: ",")),
            ])
    }

    /// The cite keys of a static group, in order.
    public var keys: [String] {
        (stored["keys"]?.string ?? "").split(separator: ",").map { TextFolding.trimmed($0) }.filter {
            !$0.isEmpty
        }
    }

    /// The address of a URL group, which must not be fetched without asking; nil for other groups.
    public var url: String? { stored["URL"]?.string }

    /// The path of a script group's program, which must never be run; nil for other groups.
    public var scriptPath: String? { stored["script path"]?.string.map(GroupEscaping.decoded) }

    /// Whether it is enough that an entry matches one condition of a smart group.
    public var needsOneCondition: Bool { stored["conjunction"]?.integer == 1 }

    /// The conditions of a smart group.
    public var conditions: [SmartCondition] {
        (stored["conditions"]?.array ?? []).map(SmartCondition.init)
    }

    /// The same static group with other members.
    public func listing(_ keys: [String]) -> BibTeXGroup {
        var entries = stored.dictionary ?? [:]
        entries["keys"] = .string(keys.joined(separator: ","))
        return BibTeXGroup(kind: kind, stored: .dictionary(entries))
    }

    /// The same group with another name.
    package func renamed(_ name: String) -> BibTeXGroup {
        var entries = stored.dictionary ?? [:]
        entries["group name"] = .string(GroupEscaping.encoded(name))
        return BibTeXGroup(kind: kind, stored: .dictionary(entries))
    }
}

/// A condition of a smart group.
public struct SmartCondition: Sendable, Hashable {
    /// The field to test, in the spelling of the file; empty matches everything.
    public let key: String
    /// The number of the comparison; nil if the file has none or it cannot be read.
    public let comparison: Int?
    /// The value to compare with.
    public let value: String
    /// The version of the date format; below 1 it is unknown.
    public let version: Int

    /// Creates a condition with these values.
    public init(key: String, comparison: Int?, value: String, version: Int = 1) {
        self.key = key
        self.comparison = comparison
        self.value = value
        self.version = version
    }

    init(_ stored: PropertyList) {
        self.init(
            key: GroupEscaping.decoded(stored["key"]?.string ?? ""),
            comparison: Self.number(stored["comparison"]),
            value: GroupEscaping.decoded(stored["value"]?.string ?? ""),
            version: Self.number(stored["version"]) ?? 0)
    }

    private static func number(_ stored: PropertyList?) -> Int? {
        stored?.integer.map { Int($0) } ?? stored?.string.flatMap { Int($0) }
    }
}

/// Escapes characters in the texts of groups as BibDesk does, because btparse counts the braces of a comment and BibTeX
/// takes an `@` for an entry.
public enum GroupEscaping {
    /// The characters that are escaped.
    private static let hidden = Set("%{}<>@".utf8)

    /// The text with these characters as `%` and two digits.
    public static func encoded(_ text: String) -> String { PercentCoding.encoded(text, only: hidden) }

    /// Decodes an escaped text in one pass from the left: `%2540` becomes `%40`, not `@`.
    public static func decoded(_ text: String) -> String { PercentCoding.decoded(text, only: hidden) }
}
