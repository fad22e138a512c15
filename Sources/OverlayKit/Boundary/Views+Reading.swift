import OverlayABI

/// What one view may hold at most. The contract sets no limit; beyond these a size can only be a mistake, and asking for
/// that much memory would end the process.
package enum ViewLimit {
    /// Bytes that are copied from one text or one view of bytes: 256 MiB.
    package static let bytes: UInt64 = 1 << 28
    /// Elements of one list: 16 Mi.
    package static let elements: UInt64 = 1 << 24
}

extension ovl_text {
    /// A copy of the text, or nil if it is absent.
    ///
    /// - Parameter field: what the text is, for the error.
    /// - Throws: `contractBroken` if it is not UTF-8.
    package func string(_ field: StaticString) throws(OverlayError) -> String? {
        guard let data else {
            guard size == 0 else { throw absentWithSize(field, size) }
            return nil
        }
        guard size <= ViewLimit.bytes else { throw tooLarge(field, size) }
        let start = UnsafeRawPointer(data).assumingMemoryBound(to: UInt8.self)
        let bytes = UnsafeBufferPointer(start: start, count: Int(size))
        // A span that was validated once is copied without a second look, which is the cheapest way to a checked String.
        guard let text = try? UTF8Span(validating: bytes.span) else {
            throw .contractBroken("A text is not UTF-8.", subject: "\(field)")
        }
        return String(copying: text)
    }

    /// A copy of a text that must not be absent.
    package func required(_ field: StaticString) throws(OverlayError) -> String {
        guard let text = try string(field) else {
            throw .contractBroken("A required text is missing.", subject: "\(field)")
        }
        return text
    }
}

extension ovl_bytes {
    /// The borrowed bytes, or nil if they are absent.
    package func buffer(_ field: StaticString) throws(OverlayError) -> UnsafeRawBufferPointer? {
        guard let data else {
            guard size == 0 else { throw absentWithSize(field, size) }
            return nil
        }
        guard size <= UInt64(Int.max) else { throw tooLarge(field, size) }
        return UnsafeRawBufferPointer(start: data, count: Int(size))
    }

    /// A copy of the bytes, or nil if they are absent.
    package func array(_ field: StaticString) throws(OverlayError) -> [UInt8]? {
        guard size <= ViewLimit.bytes else { throw tooLarge(field, size) }
        return try buffer(field).map { Array($0) }
    }
}

extension ovl_texts {
    /// Copies of the texts, or nil if the list is absent.
    ///
    /// - Throws: `contractBroken` if one of them is absent or not UTF-8.
    package func strings(_ field: StaticString) throws(OverlayError) -> [String]? {
        guard let items else {
            guard count == 0 else { throw absentWithSize(field, count) }
            return nil
        }
        guard count <= ViewLimit.elements else { throw tooLarge(field, count) }
        var strings: [String] = []
        strings.reserveCapacity(Int(count))
        for index in 0..<Int(count) { strings.append(try items[index].required(field)) }
        return strings
    }
}

extension ovl_list {
    /// Reads each record of the list in order. An absent list has none.
    ///
    /// - Throws: `contractBroken` if stride, count or a `struct_size` is not possible, and whatever `body` throws.
    package func forEach<Record: ABIRecord>(
        _ type: Record.Type, _ field: StaticString, _ body: (Record) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard let items else {
            guard count == 0 else { throw absentWithSize(field, count) }
            return
        }
        guard count > 0 else { return }
        guard stride >= 8, stride % 8 == 0, count <= ViewLimit.elements, stride <= UInt64(Int.max) / count
        else {
            throw .contractBroken(
                "Stride \(stride) and count \(count) of a list are invalid.", subject: "\(field)")
        }
        var pointer = items
        for index in 0..<Int(count) {
            if index > 0 { pointer += Int(stride) }
            try body(try Record.copy(from: pointer, room: Int(stride)))
        }
    }

    /// Reads each record of the list and converts it.
    package func map<Record: ABIRecord, Value>(
        _ type: Record.Type, _ field: StaticString, _ convert: (Record) throws(OverlayError) -> Value
    ) throws(OverlayError) -> [Value] {
        var values: [Value] = []
        try forEach(type, field) { (record) throws(OverlayError) in
            values.append(try convert(record))
        }
        return values
    }

    /// The list at `pointer`, which the contract promises not to be null.
    package static func required(_ pointer: UnsafePointer<ovl_list>) throws(OverlayError) -> ovl_list {
        try requiredView(pointer)
    }
}

/// The view at `pointer`, which the contract promises not to be null.
package func requiredView<View>(_ pointer: UnsafePointer<View>) throws(OverlayError) -> View {
    guard let pointer = UnsafePointer<View>(bitPattern: UInt(bitPattern: pointer)) else {
        throw .contractBroken("A null pointer to a \(View.self) was passed.")
    }
    return pointer.pointee
}

private func absentWithSize(_ field: StaticString, _ size: UInt64) -> OverlayError {
    .contractBroken("A null pointer comes with the size \(size).", subject: "\(field)")
}

private func tooLarge(_ field: StaticString, _ size: UInt64) -> OverlayError {
    .contractBroken("The size \(size) of a view is invalid.", subject: "\(field)")
}
