import JSON
import Publications

/// A member of the preference `cc_mappings`: a book value that a column of a calibre library can provide.
///
/// ```swift
/// for preference in PreferenceSchema.builtIn.preferences {
///     for role in preference.columnRoles ?? [] { print(role.key, role.label, role.kinds) }
/// }
/// ```
public struct ColumnRole: Sendable {
    /// The name of the member.
    public let key: String
    /// The name for display.
    public let label: String
    /// The data types of suitable columns, in calibre's terms, such as `bool`.
    public let kinds: [String]
}

/// The columns of a calibre library that provide book values: the preference `cc_mappings` for one library.
///
/// Collections are searched by the heading of their column, then by its lookup name; locked and word count by lookup
/// name, then by heading.
struct ColumnMapping: Sendable, Equatable {
    /// A column as named in the preference.
    struct Column: Sendable, Equatable {
        var lookupName: String?
        var heading: String?
    }

    /// The roles of columns.
    static let roles = [
        ColumnRole(key: "marvin_collections", label: "Collections", kinds: ["text", "enumeration"]),
        ColumnRole(key: "marvin_locked", label: "Locked", kinds: ["bool"]),
        ColumnRole(key: "marvin_word_count", label: "Word count", kinds: ["int", "float"]),
    ]

    private(set) var collections: Column?
    private(set) var locked: Column?
    private(set) var wordCount: Column?

    /// Creates the mapping for `library`, or for the only library; nil if there is none or the choice is ambiguous.
    ///
    /// - Throws: `invalidArgument` for a library that is not in the preference.
    init?(_ value: JSONValue?, library: String?) throws(HostError) {
        let libraries = value?.object?.members ?? []
        let chosen: JSONObject.Member?
        if let library {
            chosen = libraries.first { $0.name == library }
            guard chosen != nil else {
                let names = libraries.map(\.name).joined(separator: ", ")
                throw HostError(
                    .invalidArgument, "The preference cc_mappings has no library with this name.",
                    subject: library,
                    hint: names.isEmpty
                        ? "The preference cc_mappings is empty. See 'overlayhost prefs list'."
                        : "Available libraries: \(names).",
                    hintCode: names.isEmpty ? .list : nil)
            }
        } else {
            chosen = libraries.count == 1 ? libraries.first : nil
        }
        guard let fields = chosen?.value.object else { return nil }
        collections = Self.column(fields["marvin_collections"])
        locked = Self.column(fields["marvin_locked"])
        wordCount = Self.column(fields["marvin_word_count"])
    }

    /// Messages about members of the preference that have no effect; complete sentences.
    static func remarks(on value: JSONValue) -> [String] {
        let columns = roles.map(\.key)
        return (value.object?.members ?? []).flatMap { library in
            guard let fields = library.value.object else { return [noObject(library.name, columns)] }
            return fields.members.flatMap { field in
                let path = library.name + "." + field.name
                guard columns.contains(field.name) else { return [unknown(field.name, path, columns)] }
                let parts = ["field", "combobox"]
                guard let column = field.value.object else { return [noObject(path, parts)] }
                return column.members.compactMap { part in
                    guard parts.contains(part.name) else {
                        return unknown(part.name, path + "." + part.name, parts)
                    }
                    return part.value.string == nil ? "'\(path).\(part.name)' must be a string." : nil
                }
            }
        }
    }

    private static func unknown(_ name: String, _ path: String, _ known: [String]) -> String {
        "'\(path)' is unknown." + Preference.meant(name, among: known)
    }

    private static func noObject(_ path: String, _ members: [String]) -> String {
        "'\(path)' must be an object with \(members.joined(separator: ", "))."
    }

    private static func column(_ value: JSONValue?) -> Column? {
        func text(_ name: String) -> String? {
            guard let text = value?.object?[name]?.string, !text.isEmpty else { return nil }
            return text
        }
        let column = Column(lookupName: text("field"), heading: text("combobox"))
        return column.lookupName == nil && column.heading == nil ? nil : column
    }

    /// The book with the values of its columns.
    func applied(_ columns: [PackageFile.UserColumn], to book: BookRecord) -> BookRecord {
        var book = book
        if let column = collections, let found = find(column, columns, byHeadingFirst: true),
            let texts = Self.texts(found.value)
        {
            book.collections = texts
        }
        if let column = locked, let value = find(column, columns)?.value.bool { book.isLocked = value }
        if let column = wordCount, let count = find(column, columns).flatMap({ Self.count($0.value) }) {
            book.wordCount = count
        }
        return book
    }

    private func find(
        _ column: Column, _ columns: [PackageFile.UserColumn], byHeadingFirst: Bool = false
    ) -> PackageFile.UserColumn? {
        let byName = columns.first { $0.lookupName == column.lookupName }
        let byHeading = column.heading.flatMap { heading in
            columns.first { $0.heading.lowercased() == heading.lowercased() }
        }
        return byHeadingFirst ? byHeading ?? byName : byName ?? byHeading
    }

    /// The distinct texts of a list, or a single text; nil for other values.
    private static func texts(_ value: JSONValue) -> [String]? {
        guard let all = value.strings ?? value.string.map({ [$0] }) else { return nil }
        var seen: Set<String> = []
        return all.filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// An integer, which may be written as a text or with a fraction.
    private static func count(_ value: JSONValue) -> UInt64? {
        if let number = value.integer { return UInt64(exactly: number) }
        if let number = value.double { return UInt64(exactly: number.rounded()) }
        return value.string.flatMap { UInt64($0) }
    }
}
