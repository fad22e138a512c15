import Glibc

/// Reads size-prefixed records of the ABI that foreign code wrote, without trusting size or alignment (principle P4).
package enum CheckedRecord {
    /// The record's own `struct_size`, bytes.
    package static func size(of record: UnsafeRawPointer) -> Int {
        Int(record.loadUnaligned(as: UInt32.self))
    }

    /// A copy of the record at `source`: its first min(struct_size, known) bytes, the missing tail zero.
    ///
    /// `Record` must be a C struct of the ABI, for which all bytes zero is a valid value and which begins with
    /// `struct_size`. Nil if the writer's size does not even hold the 8 bytes of size and flags.
    package static func copy<Record: BitwiseCopyable>(_ source: UnsafeRawPointer, as type: Record.Type)
        -> Record?
    {
        let written = size(of: source)
        guard written >= 8 else { return nil }
        return withUnsafeTemporaryAllocation(
            byteCount: MemoryLayout<Record>.size, alignment: MemoryLayout<Record>.alignment
        ) { space -> Record? in
            guard let base = space.baseAddress else { return nil }
            memset(base, 0, space.count)
            memcpy(base, source, min(written, space.count))
            return base.load(as: Record.self)
        }
    }
}
