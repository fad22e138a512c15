import OverlayABI
import OverlayBridge

/// The largest sizes of views. The contract does not set limits, but a larger size can only be a mistake, and a
/// failed allocation would end the process.
package enum ViewLimit {
    /// The size of one text or one view of bytes: 256 MiB.
    package static let bytes: UInt64 = 1 << 28
    /// The number of elements in one list: 16 Mi.
    package static let elements: UInt64 = 1 << 24
    /// The limits for the values of a book, which use the same reader as in the host.
    static let book = BookLimits(
        path: Int(bytes), text: Int(bytes), description: Int(bytes), cover: Int(bytes), texts: Int(elements),
        annotations: Int(elements), total: .max)
}

extension OverlayError {
    /// Creates the error for a breach of the contract by the other side.
    package static func contractBroken(_ message: String, subject: String? = nil) -> OverlayError {
        OverlayError(.contractBroken, message, subject: subject)
    }

    /// Creates the error for a record or view that the contract does not allow.
    ///
    /// - Parameter record: the record that contains the fields which the fault names; nil if it names them
    ///   completely.
    init(_ fault: ViewFault, in record: String? = nil) {
        func named(_ field: String) -> String { record.map { "\($0).\(field)" } ?? field }
        self =
            switch fault {
            case .nullPointer(let type): .contractBroken("A null pointer to a \(type) was passed.")
            case .structSize(let size, let type):
                .contractBroken("The struct_size \(size) of a \(type) is invalid.")
            case .sizeWithoutData(let field, let size), .countWithoutItems(let field, let size):
                .contractBroken("A null pointer comes with the size \(size).", subject: named(field))
            case .tooManyBytes(let field, let size, _), .tooManyElements(let field, let size, _):
                .contractBroken("The size \(size) of a view is invalid.", subject: named(field))
            case .absent(let field):
                .contractBroken("A required text is missing.", subject: named(field))
            case .notUTF8(let field): .contractBroken("A text is not UTF-8.", subject: named(field))
            case .misaligned(let field):
                .contractBroken("The elements of a list are not aligned.", subject: named(field))
            case .stride(let field, let stride):
                .contractBroken("The stride \(stride) of a list is invalid.", subject: named(field))
            case .totalBytes(let limit): .contractBroken("The books have more than \(limit) bytes.")
            }
    }

    /// Runs `body` and converts its fault into an error.
    static func reading<Value>(
        in record: String? = nil, _ body: () throws(ViewFault) -> Value
    ) throws(OverlayError) -> Value {
        do throws(ViewFault) { return try body() } catch { throw OverlayError(error, in: record) }
    }
}

extension ABIRecord {
    /// Copies the record at `pointer`, up to `room` bytes.
    ///
    /// - Throws: `contractBroken` for null or an invalid `struct_size`.
    package static func copy(
        required pointer: UnsafePointer<Self>, room: Int = .max
    ) throws(OverlayError) -> Self {
        // An older host may pass a smaller record than any version of the contract defines; only the fields that it
        // wrote are used.
        try OverlayError.reading { () throws(ViewFault) in
            try copy(at: pointer, smallest: 8, room: room)
        }
    }

    /// Copies the record at `pointer`, up to `room` bytes.
    package static func copy(from pointer: UnsafeRawPointer, room: Int = .max) throws(OverlayError) -> Self {
        try copy(required: pointer.assumingMemoryBound(to: Self.self), room: room)
    }
}

extension ovl_text {
    /// Copies the text; nil if it is absent.
    ///
    /// - Parameter field: the name of the text for the error.
    /// - Throws: `contractBroken` if it is not UTF-8.
    package func string(_ field: StaticString) throws(OverlayError) -> String? {
        try OverlayError.reading { () throws(ViewFault) in
            try copy("\(field)", limit: Int(ViewLimit.bytes))
        }
    }

    /// Copies a text that must not be absent.
    package func required(_ field: StaticString) throws(OverlayError) -> String {
        guard let text = try string(field) else { throw OverlayError(.absent("\(field)")) }
        return text
    }
}

extension ovl_bytes {
    /// The borrowed bytes; nil if they are absent.
    package func buffer(_ field: StaticString) throws(OverlayError) -> UnsafeRawBufferPointer? {
        try OverlayError.reading { () throws(ViewFault) in try buffer("\(field)", limit: .max) }
    }

    /// Copies the bytes; nil if they are absent.
    package func array(_ field: StaticString) throws(OverlayError) -> [UInt8]? {
        try OverlayError.reading { () throws(ViewFault) in
            try buffer("\(field)", limit: Int(ViewLimit.bytes))
        }.map { Array($0) }
    }
}

extension ovl_texts {
    /// Copies the texts; nil if the list is absent.
    ///
    /// - Throws: `contractBroken` if one of them is absent or not UTF-8.
    package func strings(_ field: StaticString) throws(OverlayError) -> [String]? {
        try OverlayError.reading { () throws(ViewFault) in
            try copy("\(field)", limit: Int(ViewLimit.elements), textLimit: Int(ViewLimit.bytes))
        }
    }
}

extension ovl_list {
    /// Calls `body` with each record of the list in order. An absent list has no records.
    ///
    /// - Throws: `contractBroken` for an invalid stride, count or `struct_size`, and the errors of `body`.
    package func forEach<Record: ABIRecord>(
        _ type: Record.Type, _ field: StaticString, _ body: (Record) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try forEach(
            type, "\(field)", limit: Int(ViewLimit.elements), smallest: 8, fault: { OverlayError($0) }, body)
    }

    /// Reads and converts each record of the list.
    package func map<Record: ABIRecord, Value>(
        _ type: Record.Type, _ field: StaticString, _ convert: (Record) throws(OverlayError) -> Value
    ) throws(OverlayError) -> [Value] {
        var values: [Value] = []
        try forEach(type, field) { (record) throws(OverlayError) in values.append(try convert(record)) }
        return values
    }
}

/// The view at `pointer`, which must not be null according to the contract.
package func requiredView<View>(_ pointer: UnsafePointer<View>) throws(OverlayError) -> View {
    guard let pointer = UnsafePointer<View>(bitPattern: UInt(bitPattern: pointer)) else {
        throw OverlayError(ViewFault.nullPointer("\(View.self)"))
    }
    return pointer.pointee
}
