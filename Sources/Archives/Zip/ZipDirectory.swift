import FoundationEssentials
import Synchronization

/// The central directory of an archive: records and the bytes of their names. It never changes once made.
final class ZipDirectory: Sendable {
    /// The directory as it is in the archive.
    let bytes: Data
    /// Names that are not used as they stand in the directory, one after the other, as UTF-8.
    let rewrittenNames: [UInt8]
    /// The files, without folders, refused names and repeated names.
    let records: [ZipRecord]
    /// Files whose names no look-up returns, since they are absolute, climb or contain NUL.
    let refused: [ZipRecord]
    /// Where the directory begins, before which all data end.
    let start: Int64

    private let index: ZipNameIndex
    private let canonical = Mutex<[String: Int]?>(nil)

    init(_ parsed: ZipDirectoryParser.Result, bytes: Data, start: Int64) {
        self.bytes = bytes
        self.start = start
        rewrittenNames = parsed.rewrittenNames
        records = parsed.records
        refused = parsed.refused
        index = parsed.index
    }

    /// What `body` makes of a record's name in UTF-8.
    func withName<Value>(of record: ZipRecord, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        bytes.withUnsafeBytes { bytes in
            rewrittenNames.withUnsafeBytes { body(record.name(in: bytes, rewritten: $0)) }
        }
    }

    /// The place of the file with this name: the same bytes first, then canonically equal ones.
    func place(of name: String) -> Int? {
        var name = name
        let exact = name.withUTF8 { wanted in
            index.place(of: UnsafeRawBufferPointer(wanted)) { place in
                withName(of: records[place]) { $0.elementsEqual(wanted) }
            }
        }
        return exact ?? canonicalPlace(of: name)
    }

    private func canonicalPlace(of name: String) -> Int? {
        canonical.withLock { known in
            let names = known ?? canonicalNames()
            known = names
            return names[name]
        }
    }

    /// Names with other than ASCII characters; only those can be equal to a name of other bytes.
    private func canonicalNames() -> [String: Int] {
        var names: [String: Int] = [:]
        for (place, record) in records.enumerated() {
            let name: String? = withName(of: record) { bytes in
                bytes.contains { $0 >= 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
            }
            if let name, names[name] == nil { names[name] = place }
        }
        return names
    }
}

/// One record of a central directory, without its name, which stays in the directory's bytes.
struct ZipRecord: Sendable {
    /// Where the local header is.
    var offset: Int64
    /// Bytes in the archive.
    var storedLength: Int64
    /// Bytes when read.
    var length: Int64
    /// Where the name begins, in the directory's bytes or among the rewritten names.
    var nameStart: Int
    /// Bytes of the name.
    var nameLength: Int
    /// Bytes of the name as it is in the archive.
    var rawNameLength: Int
    var crc32: UInt32
    var method: UInt16
    var flags: UInt16
    /// Whether the name is among those that had to be rewritten as UTF-8 with slashes.
    var isRewritten: Bool

    /// The bytes of the name, where the parser put it.
    func name(
        in directory: UnsafeRawBufferPointer, rewritten: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let range = nameStart..<(nameStart + nameLength)
        return UnsafeRawBufferPointer(rebasing: isRewritten ? rewritten[range] : directory[range])
    }
}

/// Finds a record by the bytes of its name: a hash table of places, keyed with the process's random seed so that a hostile
/// archive cannot make names collide.
struct ZipNameIndex: Sendable {
    private var slots: [UInt32]
    private let mask: Int
    private static let empty = UInt32.max

    /// A table with room for `count` names, at most half full.
    init(count: Int) {
        var size = 8
        while size < count * 2 { size *= 2 }
        slots = Array(repeating: Self.empty, count: size)
        mask = size - 1
    }

    /// The place of a name; `isName` tells whether the record at a place has it.
    func place(of name: UnsafeRawBufferPointer, isName: (Int) -> Bool) -> Int? {
        let slot = self.slot(of: name, isName: isName)
        return slots[slot] == Self.empty ? nil : Int(slots[slot])
    }

    /// Enters a name unless it is there already, and says whether it was entered.
    mutating func enter(_ name: UnsafeRawBufferPointer, place: Int, isName: (Int) -> Bool) -> Bool {
        let slot = self.slot(of: name, isName: isName)
        guard slots[slot] == Self.empty else { return false }
        slots[slot] = UInt32(truncatingIfNeeded: place)
        return true
    }

    private func slot(of name: UnsafeRawBufferPointer, isName: (Int) -> Bool) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: name)
        var slot = hasher.finalize() & mask
        while slots[slot] != Self.empty, !isName(Int(slots[slot])) { slot = (slot + 1) & mask }
        return slot
    }
}
