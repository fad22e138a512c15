/// The name by which iTunes and Books know a book: sixteen hexadecimal digits.
///
/// A book that is added here gets the first ones of its uuid, so that the same file is known again.
enum PersistentID {
    private static let length = 16

    /// The id of a book; nil without enough digits.
    static func of(uuid: String?) -> String? {
        let digits = (uuid ?? "").filter(\.isHexDigit).uppercased()
        guard digits.utf8.count >= length else { return nil }
        return String(digits.prefix(length))
    }
}
