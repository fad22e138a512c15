/// Values by names of files, in which a name is found however its characters are composed.
///
/// “é” is one scalar or two. HFS+ lists names decomposed, however they were written, and both it and APFS take either form
/// for the same file; but a database, a list of books, and a person may use the other form. Two names that differ in nothing
/// else can also be two files of a device that tells them apart: each is found by its own bytes.
///
/// The table compares names; it never changes one. The name to send to a device is the one that the device listed.
public struct NameTable<Value> {
    private struct Entry {
        var name: String
        var value: Value
        /// Other names that look the same, by their bytes: a device may list thousands of them.
        var others: [[UInt8]: Value] = [:]
    }

    /// Swift compares strings by canonical equivalence.
    private var entries: [String: Entry] = [:]

    /// An empty table.
    public init() {}

    /// The values by their names; the first of several with the same bytes counts.
    public init(_ values: some Sequence<Value>, by name: (Value) -> String) {
        for value in values {
            let name = name(value)
            if exact(name) == nil { self[name] = value }
        }
    }

    /// The value of a name: that of the same bytes, else that of the only name that looks the same.
    ///
    /// Setting replaces the value of the same bytes alone.
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

    /// All values, in no order.
    public var values: [Value] { entries.values.flatMap { [$0.value] + $0.others.values } }

    /// Whether a name of the table looks like this one.
    public func contains(_ name: String) -> Bool { entries[name] != nil }

    /// The value of a name with the same bytes.
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

    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}

extension NameTable where Value == Void {
    /// Names alone.
    public init(_ names: some Sequence<String>) {
        for name in names { self[name] = () }
    }
}
