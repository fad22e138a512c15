import BookModel
import Platform

/// A digest of a book's metadata at one time, used to detect changes.
package struct MetadataDigest: Hashable, Sendable {
    /// The fields of the digest, as bits in the order of `MetadataDigest.fields`.
    private let bits: UInt64
    /// A hash of their values.
    package let number: UInt64

    /// Creates a digest from stored values.
    ///
    /// - Parameter names: the names of the fields. The value of a field that this version does not know still affects
    ///   `number`, so that the digest does not match any book.
    package init(fields names: [String], number: UInt64) {
        (bits, self.number) = (names.reduce(0) { $0 | (Self.bitsByName[$1] ?? 0) }, number)
    }

    /// Reads the output of `text`; nil for any other text.
    ///
    /// - Parameter table: the fields for which the text has bits.
    init?(_ text: String, _ table: FieldTable) {
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Self.number(parts[0]), let stored = Self.number(parts[1]) else {
            return nil
        }
        (bits, self.number) = (table.bits(of: stored), number)
    }

    /// The digest as text: its number and the bits of its fields, in hexadecimal. ``FieldTable/names`` has the names
    /// of these bits.
    var text: String { Hex.text(number) + " " + String(bits, radix: 16) }

    /// The number of 1 to 16 hexadecimal digits; nil for any other text.
    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        guard (1...16).contains(digits.count) else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard let value = Hex.value(of: digit) else { return nil }
            number = number << 4 | UInt64(value)
        }
        return number
    }

    /// The fields for which the stored digests of a state have bits.
    ///
    /// Fields that this version does not know are left out. A digest that includes a value of one does not match any
    /// book.
    struct FieldTable {
        /// The names of the fields for which this version writes bits, in their order.
        static let names = MetadataDigest.fields.map(\.name)

        /// The bit of this version for each stored bit; 0 for fields that this version does not know. Nil if all are
        /// the same.
        private let bits: [UInt64]?

        /// Creates the table for stored names. Names after the sixty-fourth are left out.
        init(_ names: [String]) {
            bits = names == Self.names ? nil : names.prefix(64).map { bitsByName[$0] ?? 0 }
        }

        fileprivate func bits(of stored: UInt64) -> UInt64 {
            guard let bits else { return stored & ((1 << UInt64(Self.names.count)) &- 1) }
            return bits.indices.reduce(0) { stored & MetadataDigest.bit($1) == 0 ? $0 : $0 | bits[$1] }
        }
    }

    private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(place) }

    private static let bitsByName = Dictionary(
        uniqueKeysWithValues: zip(fields.map(\.name), fields.indices.map(bit)))

    private static func bits(_ isWanted: (BookField) -> Bool) -> UInt64 {
        zip(fields.indices, fields).reduce(into: 0) { bits, field in
            if isWanted(field.1) { bits |= bit(field.0) }
        }
    }

    /// Creates a digest of the known values among the fields that `isWanted` selects.
    ///
    /// - Parameter withOwnCollections: whether to include the collections into which apps put books automatically, as
    ///   earlier versions did.
    package init(_ book: Book, withOwnCollections: Bool = false, _ isWanted: (BookField) -> Bool) {
        self.init(book, Self.bits(isWanted), withOwnCollections: withOwnCollections)
    }

    /// Creates a digest of the known values among the fields with these bits.
    private init(_ book: Book, _ wanted: UInt64, withOwnCollections: Bool) {
        var bits: UInt64 = 0
        var hash = FNV1a()
        for place in Self.fields.indices
        where wanted & Self.bit(place) != 0 && Self.fields[place].isPresent(in: book) {
            guard
                let text = Self.text(
                    of: Self.fields[place], in: book, withOwnCollections: withOwnCollections)
            else { continue }
            bits |= Self.bit(place)
            hash.add(Self.fields[place].name.utf8)
            hash.add(0)
            hash.add(text.utf8)
            hash.add(0)
        }
        (self.bits, number) = (bits, hash.value)
    }

    /// Creates a digest of all fields that a user can change on a device, including empty ones.
    package init(ofCopy book: Book) {
        let values = MetadataDigest(book, Self.personalBits, withOwnCollections: false)
        (bits, number) = (Self.personalBits, values.number)
    }

    /// Whether the digest includes all fields that a user can change. Digests of earlier versions do not.
    package var isOfWholeCopy: Bool { Self.personalBits & ~bits == 0 }

    /// Whether the digest includes a field.
    package func contains(_ field: BookField) -> Bool {
        Self.bitsByName[field.name].map { bits & $0 != 0 } ?? false
    }

    /// Whether a book has the same values in the fields of this digest.
    package func fits(_ book: Book) -> Bool {
        if MetadataDigest(book, bits, withOwnCollections: false).number == number { return true }
        return !isOfWholeCopy && MetadataDigest(book, bits, withOwnCollections: true).number == number
    }

    /// The fields that change only on a user's request. Apps count words automatically.
    private static let personalBits = bits { $0.name != "word_count" }
    /// Collections into which apps put books automatically, because they are new or have been read.
    private static let ownCollections: Set<String> = ["NEW", "READ"]

    /// The fields whose values can be compared. Covers are excluded.
    package static let fields = Book.fields.filter { field in
        guard let word = field.settableWord else { return false }
        return word != "cover"
    }

    /// A value as text, without surrounding white space; nil if it is unknown or empty.
    package static func text(of field: BookField, in book: Book, withOwnCollections: Bool = false) -> String?
    {
        let text: String? =
            switch field.value {
            case .text(let place): field.read(place, in: book).map(trimmed)
            case .texts(let place):
                field.read(place, in: book).map { values in
                    let own = field.name == "collections" && !withOwnCollections ? ownCollections : []
                    let values = values.map(trimmed).filter { !$0.isEmpty && !own.contains($0) }
                    // The order of authors matters; the order of tags does not.
                    return (field.name == "authors" ? values : values.sorted()).joined(separator: "\u{1F}")
                }
            case .number(let place): field.read(place, in: book).map { "\(($0 * 100).rounded() / 100)" }
            case .count(let place): field.read(place, in: book).map { "\($0)" }
            case .time(let place): field.read(place, in: book).map { "\($0)" }
            case .flag(let place): field.read(place, in: book).map { $0 ? "true" : "false" }
            case .bytes: nil
            }
        return text?.isEmpty == true ? nil : text
    }

    private static func trimmed(_ text: String) -> String {
        // Nearly all texts begin and end with a visible ASCII character, which is not white space.
        func isVisible(_ byte: UInt8?) -> Bool { byte.map { (0x21...0x7E).contains($0) } ?? true }
        if isVisible(text.utf8.first), isVisible(text.utf8.last) { return text }
        var rest = Substring(text)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest.drop(while: \.isWhitespace))
    }
}
