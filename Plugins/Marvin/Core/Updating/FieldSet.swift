/// Some of what can be changed about a book.
struct FieldSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// These fields.
    init(_ fields: [MetadataField]) {
        self.init(rawValue: fields.reduce(0) { $0 | Self.bit($1) })
    }

    func contains(_ field: MetadataField) -> Bool { rawValue & Self.bit(field) != 0 }

    mutating func insert(_ field: MetadataField) { self = FieldSet(rawValue: rawValue | Self.bit(field)) }

    /// The fields in their fixed order.
    var fields: [MetadataField] { MetadataField.allCases.filter(contains) }

    private static func bit(_ field: MetadataField) -> UInt32 {
        MetadataField.allCases.firstIndex(of: field).map { 1 << UInt32($0) } ?? 0
    }
}
