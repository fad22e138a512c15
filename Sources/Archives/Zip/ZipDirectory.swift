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

    /// The place of the file with this name: the same bytes first, then canonically equal ones (fetcher reference 7.3).
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
