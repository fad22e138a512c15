/// The name by which iTunes and Books know a book: sixteen hexadecimal digits.
///
/// A book that is added here gets the first ones of its uuid, so that the same file is known again.
enum PersistentID {
    private static let length = 16

    /// The id of a book; nil without enough digits.
    static func of(uuid: String?) -> String? {
        let digits = (uuid ?? "").filter { $0.isASCII && $0.isHexDigit }.uppercased()
        guard digits.utf8.count >= length else { return nil }
        return String(digits.prefix(length))
    }

    /// The id of a content whose book has no uuid.
    static func of(digest: String) -> String { String(digest.prefix(length)) }

    /// Whether an id is fit to be a name of a file.
    static func isPlain(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: false
                }
            }
    }
}
