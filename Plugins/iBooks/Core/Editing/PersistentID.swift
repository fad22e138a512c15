import Platform

/// The name by which iTunes and Books know a book: sixteen hexadecimal digits.
///
/// A book that is added here gets one that is made of its uuid, so that another edition is known again.
enum PersistentID {
    private static let length = 16

    /// The id of a book; nil without a uuid.
    ///
    /// All digits of the uuid count: a publisher may number books in the last ones.
    static func of(uuid: String?) -> String? {
        guard let uuid, !uuid.isEmpty else { return nil }
        return Digest.text(of: uuid.lowercased(), .md5).map { of(digest: $0.uppercased()) }
    }

    /// The id of a book that shares its uuid with another book: it begins like that of the uuid and continues like that of the content.
    static func of(sharedUUID uuid: String?, digest: String) -> String? {
        of(uuid: uuid).map { beginning(of: $0) + digest.prefix(length / 2) }
    }

    /// What the ids of all books of one uuid have in common.
    static func beginning(of id: String) -> String { String(id.prefix(length / 2)) }

    /// The id of a book without a uuid, made of its content.
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
