import Glibc
import OverlayABI

// Reading the views of the ABI into Swift values, with bounds and one check of UTF-8.

extension ovl_text {
    /// A copy of the text; nil if it is absent.
    @inline(__always)
    package func read(_ field: StaticString, limit: Int = BoundaryLimits.text) throws(ContractBreach)
        -> String?
    {
        guard let data else {
            guard size == 0 else { throw ContractBreach(.view, "\(field) has a size without data") }
            return nil
        }
        guard size <= UInt64(limit) else {
            throw ContractBreach(.limit, "\(field) has \(size) bytes; at most \(limit) are allowed")
        }
        let count = Int(size)
        let bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(data).assumingMemoryBound(to: UInt8.self), count: count)
        // Repairing costs one pass where validating first would cost two; what is not UTF-8 differs once repaired.
        var text = String(decoding: bytes, as: UTF8.self)
        let isUnchanged = text.withUTF8 { copy in
            guard copy.count == count else { return false }
            guard count > 0, let copied = copy.baseAddress else { return count == 0 }
            return memcmp(copied, data, count) == 0
        }
        guard isUnchanged else { throw ContractBreach(.notUTF8, "\(field) is not UTF-8") }
        return text
    }

    /// A copy of a text that must be there.
    package func readRequired(_ field: StaticString, limit: Int = BoundaryLimits.text) throws(ContractBreach)
        -> String
    {
        guard let text = try read(field, limit: limit) else {
            throw ContractBreach(.view, "\(field) is absent")
        }
        return text
    }

    /// A copy of a text for people: cut at the limit and repaired instead of refused; nil if it is absent or empty.
    package func readMessage() -> String? {
        guard let text = BorrowedText.repaired(self, limit: BoundaryLimits.message), !text.isEmpty else {
            return nil
        }
        return text
    }
}

extension ovl_texts {
    /// Copies of the texts; nil if the list is absent.
    @inline(__always)
    package func read(_ field: StaticString, limit: Int = BoundaryLimits.texts) throws(ContractBreach)
        -> [String]?
    {
        guard let items else {
            guard count == 0 else { throw ContractBreach(.view, "\(field) has a count without items") }
            return nil
        }
        guard count <= UInt64(limit) else {
            throw ContractBreach(.limit, "\(field) has \(count) elements; at most \(limit) are allowed")
        }
        if count == 0 { return [] }
        guard UInt(bitPattern: items) & 7 == 0 else { throw ContractBreach(.view, "\(field) is not aligned") }
        var texts: [String] = []
        texts.reserveCapacity(Int(count))
        for index in 0..<Int(count) { texts.append(try items[index].readRequired(field)) }
        return texts
    }
}

extension ovl_bytes {
    /// The borrowed bytes; nil if they are absent.
    package func borrowed(_ field: StaticString, limit: Int) throws(ContractBreach) -> UnsafeRawBufferPointer?
    {
        guard let data else {
            guard size == 0 else { throw ContractBreach(.view, "\(field) have a size without data") }
            return nil
        }
        guard size <= UInt64(limit) else {
            throw ContractBreach(.limit, "\(field) have \(size) bytes; at most \(limit) are allowed")
        }
        return UnsafeRawBufferPointer(start: data, count: Int(size))
    }

    /// A copy of the bytes; nil if they are absent.
    package func read(_ field: StaticString, limit: Int) throws(ContractBreach) -> [UInt8]? {
        guard let bytes = try borrowed(field, limit: limit) else { return nil }
        return [UInt8](bytes)
    }
}

extension ovl_list {
    /// Copies of the list's records, converted; none if the list is absent.
    package func read<Record: BoundaryRecord, Value>(
        _ type: Record.Type, _ field: StaticString, limit: Int = BoundaryLimits.records,
        _ convert: (Record) throws(ContractBreach) -> Value
    ) throws(ContractBreach) -> [Value] {
        guard let items else {
            guard count == 0 else { throw ContractBreach(.view, "\(field) has a count without items") }
            return []
        }
        guard count <= UInt64(limit) else {
            throw ContractBreach(.limit, "\(field) has \(count) elements; at most \(limit) are allowed")
        }
        guard count > 0 else { return [] }
        guard stride >= UInt64(Record.smallest), stride % 8 == 0, stride <= 1 << 16 else {
            throw ContractBreach(.stride, "the stride \(stride) of \(field) is invalid")
        }
        var values: [Value] = []
        values.reserveCapacity(Int(count))
        for index in 0..<Int(count) {
            let record = (items + index * Int(stride)).assumingMemoryBound(to: Record.self)
            values.append(try convert(try Record.read(record, room: Int(stride))))
        }
        return values
    }
}
