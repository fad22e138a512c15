import Platform

/// Values by file names. A name is found in composed and decomposed form.
///
/// “é” is one scalar or two. HFS+ lists names decomposed, however they were written, and both it and APFS accept either
/// form for the same file. But a database, a list of books or the user may use the other form. On a device that
/// distinguishes the forms, two such names can also be two files; each is then found by its own bytes.
///
/// The table compares names but never changes them. Send a device the name that it listed.
public struct NameTable<Value> {
    private struct Entry {
        var name: String
        var value: Value
        /// Other names that look the same, by their bytes; a device may list thousands of them.
        var others: [[UInt8]: Value] = [:]
    }

    /// Swift compares strings by canonical equivalence.
    private var entries: [String: Entry] = [:]

    /// Creates an empty table.
    public init() {}

    /// Creates a table of values by their names. If several names have the same bytes, the first value is used.
    public init(_ values: some Sequence<Value>, by name: (Value) -> String) {
        for value in values {
            let name = name(value)
            if exact(name) == nil { self[name] = value }
        }
    }

    /// The value for a name with the same bytes, or else for the only name that looks the same.
    ///
    /// Setting a value replaces only the value for the same bytes.
    public subscript(name: String) -> Value? {
        get {
            guard let entry = entries[name] else { return nil }
            return exact(name) ?? (entry.others.isEmpty ? entry.value : nil)
        }
        set {
            guard let newValue else { return remove(name) }
            guard let first = entries[name]?.name else {
                entries[name] = Entry(name: name, value: newValue)
                return
            }
            if Self.isSame(first, name) {
                entries[name]?.value = newValue
            } else {
                entries[name]?.others[Array(name.utf8)] = newValue
            }
        }
    }

    /// All values, in no particular order.
    public var values: [Value] {
        var values: [Value] = []
        values.reserveCapacity(entries.count)
        for entry in entries.values {
            values.append(entry.value)
            if !entry.others.isEmpty { values += entry.others.values }
        }
        return values
    }

    /// Whether the table contains a name that looks like this one.
    public func contains(_ name: String) -> Bool { entries[name] != nil }

    /// The value for a name with the same bytes.
    public func exact(_ name: String) -> Value? {
        guard let entry = entries[name] else { return nil }
        return Self.isSame(entry.name, name) ? entry.value : entry.others[Array(name.utf8)]
    }

    private mutating func remove(_ name: String) {
        guard let first = entries[name]?.name else { return }
        if !Self.isSame(first, name) {
            entries[name]?.others[Array(name.utf8)] = nil
        } else if let (bytes, value) = entries[name]?.others.popFirst() {
            entries[name]?.name = String(decoding: bytes, as: UTF8.self)
            entries[name]?.value = value
        } else {
            entries[name] = nil
        }
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        ExactText(one) == ExactText(other)
    }
}

extension NameTable where Value == Void {
    /// Creates a table of names without values.
    public init(_ names: some Sequence<String>) {
        for name in names { self[name] = () }
    }
}
