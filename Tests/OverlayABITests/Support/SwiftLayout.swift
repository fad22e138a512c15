/// A struct of the contract, or a field of one, as Swift imports it.
struct SwiftLayout: Hashable {
    var record: String
    /// Nil for the struct as a whole.
    var field: String?
    var offset: Int
    var size: Int
    var alignment: Int

    /// All structs of the contract with their fields.
    static var all: [SwiftLayout] { types + records + services + content + syncing + methods }

    /// A struct and the fields that `build` adds.
    static func of<Record>(_ type: Record.Type, _ build: (inout Fields<Record>) -> Void) -> [SwiftLayout] {
        let whole = SwiftLayout(
            record: "\(Record.self)", field: nil, offset: 0, size: MemoryLayout<Record>.size,
            alignment: MemoryLayout<Record>.alignment)
        var fields = Fields<Record>(rows: [whole])
        build(&fields)
        return fields.rows
    }

    /// Collects the fields of one struct.
    struct Fields<Record> {
        fileprivate(set) var rows: [SwiftLayout]

        /// A field. Its offset is -1 if Swift does not know it.
        mutating func add<Value>(_ name: String, _ path: KeyPath<Record, Value>) {
            rows.append(
                SwiftLayout(
                    record: "\(Record.self)", field: name,
                    offset: MemoryLayout<Record>.offset(of: path) ?? -1,
                    size: MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment))
        }
    }
}
