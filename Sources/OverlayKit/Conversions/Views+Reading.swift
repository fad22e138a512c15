import OverlayABI
import OverlayBridge

/// What one view may hold at most. The contract sets no limit; a larger size can only be a mistake, and an allocation of that
/// size would end the process.
package enum ViewLimit {
    /// Bytes of one text or one view of bytes: 256 MiB.
    package static let bytes: UInt64 = 1 << 28
    /// Elements of one list: 16 Mi.
    package static let elements: UInt64 = 1 << 24
    /// The values of a book, read in the same way.
    static let book = BookLimits(
        path: Int(bytes), text: Int(bytes), description: Int(bytes), cover: Int(bytes), texts: Int(elements),
        annotations: Int(elements), total: .max)
}

extension OverlayError {
    /// The other side broke the contract.
    package static func contractBroken(_ message: String, subject: String? = nil) -> OverlayError {
        OverlayError(.contractBroken, message, subject: subject)
    }

    /// The other side passed a record or view that the contract does not allow.
    ///
    /// - Parameter record: the record whose fields the fault names; nil if it names them in full.
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

    /// Runs `body` and makes an error of the fault that it throws.
    static func reading<Value>(
        in record: String? = nil, _ body: () throws(ViewFault) -> Value
    ) throws(OverlayError) -> Value {
        do throws(ViewFault) { return try body() } catch { throw OverlayError(error, in: record) }
    }
}

extension ABIRecord {
    /// Copies the record at `pointer`, at most `room` bytes of it.
    ///
    /// - Throws: `contractBroken` for null, or a `struct_size` that cannot be one.
    package static func copy(
        required pointer: UnsafePointer<Self>, room: Int = .max
    ) throws(OverlayError) -> Self {
        // An older host may pass less than any version's record; only the fields that it wrote count.
        try OverlayError.reading { () throws(ViewFault) in
            try copy(at: pointer, smallest: 8, room: room)
        }
    }

    /// Copies the record at `pointer`, at most `room` bytes of it.
    package static func copy(from pointer: UnsafeRawPointer, room: Int = .max) throws(OverlayError) -> Self {
        try copy(required: pointer.assumingMemoryBound(to: Self.self), room: room)
    }
}

extension ovl_text {
    /// A copy of the text, or nil if it is absent.
    ///
    /// - Parameter field: what the text is, for the error.
    /// - Throws: `contractBroken` if it is not UTF-8.
    package func string(_ field: StaticString) throws(OverlayError) -> String? {
        try OverlayError.reading { () throws(ViewFault) in
            try copy("\(field)", limit: Int(ViewLimit.bytes))
        }
    }

    /// A copy of a text that must not be absent.
    package func required(_ field: StaticString) throws(OverlayError) -> String {
        guard let text = try string(field) else { throw OverlayError(.absent("\(field)")) }
        return text
    }
}

extension ovl_bytes {
    /// The borrowed bytes, or nil if they are absent.
    package func buffer(_ field: StaticString) throws(OverlayError) -> UnsafeRawBufferPointer? {
        try OverlayError.reading { () throws(ViewFault) in try buffer("\(field)", limit: .max) }
    }

    /// A copy of the bytes, or nil if they are absent.
    package func array(_ field: StaticString) throws(OverlayError) -> [UInt8]? {
        try OverlayError.reading { () throws(ViewFault) in
            try buffer("\(field)", limit: Int(ViewLimit.bytes))
        }.map { Array($0) }
    }
}

extension ovl_texts {
    /// Copies of the texts, or nil if the list is absent.
    ///
    /// - Throws: `contractBroken` if one of them is absent or not UTF-8.
    package func strings(_ field: StaticString) throws(OverlayError) -> [String]? {
        try OverlayError.reading { () throws(ViewFault) in
            try copy("\(field)", limit: Int(ViewLimit.elements), textLimit: Int(ViewLimit.bytes))
        }
    }
}

extension ovl_list {
    /// Reads each record of the list in order. An absent list has no records.
    ///
    /// - Throws: `contractBroken` for an impossible stride, count or `struct_size`, and what `body` throws.
    package func forEach<Record: ABIRecord>(
        _ type: Record.Type, _ field: StaticString, _ body: (Record) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try forEach(
            type, "\(field)", limit: Int(ViewLimit.elements), smallest: 8, fault: { OverlayError($0) }, body)
    }

    /// Reads each record of the list and converts it.
    package func map<Record: ABIRecord, Value>(
        _ type: Record.Type, _ field: StaticString, _ convert: (Record) throws(OverlayError) -> Value
    ) throws(OverlayError) -> [Value] {
        var values: [Value] = []
        try forEach(type, field) { (record) throws(OverlayError) in values.append(try convert(record)) }
        return values
    }
}

/// The view at `pointer`, which the contract promises not to be null.
package func requiredView<View>(_ pointer: UnsafePointer<View>) throws(OverlayError) -> View {
    guard let pointer = UnsafePointer<View>(bitPattern: UInt(bitPattern: pointer)) else {
        throw OverlayError(ViewFault.nullPointer("\(View.self)"))
    }
    return pointer.pointee
}
