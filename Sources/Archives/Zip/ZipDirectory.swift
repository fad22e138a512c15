import FoundationEssentials
import Synchronization

/// The central directory of an archive: records and the bytes of their names. Immutable.
final class ZipDirectory: Sendable {
    /// The directory as stored in the archive.
    let bytes: Data
    /// Names that had to be rewritten, as UTF-8, one after another.
    let rewrittenNames: [UInt8]
    /// The files, without folders, refused names and repeated names.
    let records: [ZipRecord]
    /// Files that no lookup returns, because their names are absolute, contain `..` or contain NUL.
    let refused: [ZipRecord]
    /// The position of the directory. The data of all entries end before it.
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

    /// Calls `body` with the UTF-8 bytes of a record's name, and returns its result.
    func withName<Value>(of record: ZipRecord, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        bytes.withUnsafeBytes { bytes in
            rewrittenNames.withUnsafeBytes { body(record.name(in: bytes, rewritten: $0)) }
        }
    }

    /// The index of the file with this name: by the same bytes, or else by canonical equivalence.
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

    /// The non-ASCII names. Only these can be equivalent to a name with other bytes.
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

/// One record of a central directory. Its name stays in the directory's bytes.
struct ZipRecord: Sendable {
    /// The offset of the local header.
    var offset: Int64
    /// The compressed size in bytes.
    var storedLength: Int64
    /// The uncompressed size in bytes.
    var length: Int64
    /// The start of the name, in the directory's bytes or among the rewritten names.
    var nameStart: Int
    /// The length of the name in bytes.
    var nameLength: Int
    /// The length in bytes of the name as stored in the archive.
    var rawNameLength: Int
    var crc32: UInt32
    var method: UInt16
    var flags: UInt16
    /// Whether the name is one of those that were rewritten as UTF-8 with slashes.
    var isRewritten: Bool

    /// The bytes of the name, from the buffer in which the parser stored it.
    func name(
        in directory: UnsafeRawBufferPointer, rewritten: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let range = nameStart..<(nameStart + nameLength)
        return UnsafeRawBufferPointer(rebasing: isRewritten ? rewritten[range] : directory[range])
    }
}

/// Finds a record by the bytes of its name. This is a hash table of indices that uses the process's random seed, so
/// that a hostile archive cannot create collisions.
struct ZipNameIndex: Sendable {
    private var slots: [UInt32]
    private let mask: Int
    private static let empty = UInt32.max

    /// Creates a table with space for `count` names, at most half full.
    init(count: Int) {
        var size = 8
        while size < count * 2 { size *= 2 }
        slots = Array(repeating: Self.empty, count: size)
        mask = size - 1
    }

    /// The index of a name. `isName` returns whether the record at an index has the name.
    func place(of name: UnsafeRawBufferPointer, isName: (Int) -> Bool) -> Int? {
        let slot = self.slot(of: name, isName: isName)
        return slots[slot] == Self.empty ? nil : Int(slots[slot])
    }

    /// Adds a name unless it exists already. Returns whether it was added.
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
