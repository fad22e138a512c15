import Platform

/// The id by which iTunes and Books know a book: sixteen hexadecimal digits.
///
/// A book that is added here gets an id derived from its UUID, so that another edition is recognised.
enum PersistentID {
    private static let length = 16

    /// The id of a book; nil without a UUID.
    ///
    /// All digits of the UUID count, because a publisher may number its books in the last ones.
    static func of(uuid: String?) -> String? {
        guard let uuid, !uuid.isEmpty else { return nil }
        return Digest.text(of: uuid.lowercased(), .md5).map { of(digest: $0.uppercased()) }
    }

    /// The id of a book that shares its UUID with another: it begins like the UUID's id and continues like the
    /// content's.
    static func of(sharedUUID uuid: String?, digest: String) -> String? {
        of(uuid: uuid).map { beginning(of: $0) + digest.prefix(length / 2) }
    }

    /// The beginning that all ids of one UUID share.
    static func beginning(of id: String) -> String { String(id.prefix(length / 2)) }

    /// The id of a book without a UUID, derived from its content.
    static func of(digest: String) -> String { String(digest.prefix(length)) }

    /// Whether an id can be used as a file name.
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
