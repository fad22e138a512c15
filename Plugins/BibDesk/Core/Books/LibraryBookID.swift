import BookFolders
import Platform

/// The UUIDs of references, which BibDesk keeps none of.
enum LibraryBookID {
    /// The namespace of all of them, made once at random: 6e0b7c5e-2f4d-4a55-9c1f-8d0a3b6f7e21.
    private static let namespace: [UInt8] = [
        0x6E, 0x0B, 0x7C, 0x5E, 0x2F, 0x4D, 0x4A, 0x55, 0x9C, 0x1F, 0x8D, 0x0A, 0x3B, 0x6F, 0x7E, 0x21,
    ]

    /// The UUID of an entry by version 5 of RFC 9562: the same on every device for a library of this name and a cite key,
    /// in any case of its letters. Nil if the system offers no SHA-1.
    static func uuid(of entry: EntryName) -> String? {
        let number = entry.number == 1 ? "" : "\n\(entry.number)"
        let name = "\(entry.library.text.lowercased())\n\(entry.key.lowercased())\(number)"
        guard var bytes = Digest.of(namespace + Array(name.utf8), .sha1).map({ Array($0.prefix(16)) }),
            bytes.count == 16
        else { return nil }
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hex.text(bytes))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(digits[$0]) }.joined(separator: "-")
    }
}
