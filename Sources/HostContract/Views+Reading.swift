import OverlayABI
import OverlayBridge

// Reads the views and records that an overlay passes, with the limits of the host.

/// The value of `OVL_UNKNOWN`, which Swift cannot import: an unknown size or total, or a length up to the end.
package let OVL_UNKNOWN = UInt64.max

extension ContractBreach {
    /// Creates the breach for a fault in a record or view.
    init(_ fault: ViewFault) {
        self =
            switch fault {
            case .nullPointer(let type): Self(.nullPointer, "A null pointer was passed for \(type).")
            case .structSize(let size, let type):
                Self(
                    .structSize,
                    "The struct_size \(size) of \(type) is invalid: it must be sizeof(\(type)).")
            case .sizeWithoutData(let field, _): Self(.view, "The field \(field) has a size without data.")
            case .countWithoutItems(let field, _):
                Self(.view, "The field \(field) has a count without items.")
            case .tooManyBytes(let field, let size, let limit):
                Self(.limit, "The field \(field) has \(size) bytes; at most \(limit) are allowed.")
            case .tooManyElements(let field, let count, let limit):
                Self(.limit, "The field \(field) has \(count) elements; at most \(limit) are allowed.")
            case .absent(let field): Self(.view, "The field \(field) is absent.")
            case .notUTF8(let field): Self(.notUTF8, "The field \(field) is not UTF-8.")
            case .misaligned(let field): Self(.view, "The field \(field) is not aligned.")
            case .stride(let field, let stride):
                Self(.stride, "The stride \(stride) of \(field) is invalid.")
            case .totalBytes(let limit): Self(.limit, "The booklist is larger than \(limit) bytes.")
            }
    }

    fileprivate static func reading<Value>(
        _ body: () throws(ViewFault) -> Value
    ) throws(ContractBreach) -> Value {
        do throws(ViewFault) { return try body() } catch { throw ContractBreach(error) }
    }
}

extension ABIRecord {
    /// Copies the record at `pointer`, which has at most `room` bytes and, in every version, at least `smallest`.
    @inline(__always)
    package static func read(
        _ pointer: UnsafePointer<Self>, room: Int = .max
    ) throws(ContractBreach) -> Self {
        do throws(ViewFault) {
            return try copy(at: pointer, smallest: smallest, room: room)
        } catch {
            throw ContractBreach(error)
        }
    }
}

extension ovl_text {
    /// Copies the text; nil if it is absent.
    package func read(
        _ field: StaticString, limit: Int = BoundaryLimits.text
    ) throws(ContractBreach) -> String? {
        try ContractBreach.reading { () throws(ViewFault) in try copy("\(field)", limit: limit) }
    }

    /// Copies a required text.
    package func readRequired(
        _ field: StaticString, limit: Int = BoundaryLimits.text
    ) throws(ContractBreach) -> String {
        guard let text = try read(field, limit: limit) else { throw ContractBreach(.absent("\(field)")) }
        return text
    }

    /// Copies a text for display. It is cut at the limit and repaired instead of refused; nil if it is absent or
    /// empty.
    package func readMessage() -> String? {
        guard let text = repaired(limit: BoundaryLimits.message), !text.isEmpty else { return nil }
        return text
    }
}

extension ovl_texts {
    /// Copies the texts; nil if the list is absent.
    package func read(
        _ field: StaticString, limit: Int = BoundaryLimits.texts
    ) throws(ContractBreach) -> [String]? {
        try ContractBreach.reading { () throws(ViewFault) in
            try copy("\(field)", limit: limit, textLimit: BoundaryLimits.text)
        }
    }
}

extension ovl_bytes {
    /// The borrowed bytes; nil if they are absent.
    package func borrowed(
        _ field: StaticString, limit: Int
    ) throws(ContractBreach) -> UnsafeRawBufferPointer? {
        try ContractBreach.reading { () throws(ViewFault) in try buffer("\(field)", limit: limit) }
    }

    /// Copies the bytes; nil if they are absent.
    package func read(_ field: StaticString, limit: Int) throws(ContractBreach) -> [UInt8]? {
        try borrowed(field, limit: limit).map { [UInt8]($0) }
    }
}

extension ovl_list {
    /// Copies and converts the list's records; empty if the list is absent.
    package func read<Record: ABIRecord, Value>(
        _ type: Record.Type, _ field: StaticString, limit: Int = BoundaryLimits.records,
        _ convert: (Record) throws(ContractBreach) -> Value
    ) throws(ContractBreach) -> [Value] {
        // A record of any version is far smaller than 64 KiB.
        guard items == nil || count == 0 || stride <= 1 << 16 else {
            throw ContractBreach(.stride("\(field)", stride: stride))
        }
        var values: [Value] = []
        try forEach(
            type, "\(field)", limit: limit, smallest: Record.smallest, fault: { ContractBreach($0) }
        ) { (record) throws(ContractBreach) in
            values.append(try convert(record))
        }
        return values
    }
}
