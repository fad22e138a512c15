import OverlayABI

// Copies views of the C contract into Swift values, within the limits of the reading side. `field` is the name of the
// view in errors.

extension ovl_text {
    /// Copies the text; nil if it is absent.
    @inline(__always)
    public func copy(_ field: @autoclosure () -> String, limit: Int) throws(ViewFault) -> String? {
        guard let bytes = try buffer(field(), limit: limit) else { return nil }
        // Unlike String(validating:as:), this is not generic in the type of the bytes, and takes half the time.
        do { return String(copying: try UTF8Span(validating: bytes.span)) } catch { throw .notUTF8(field()) }
    }

    /// The borrowed bytes of the text, which may not be UTF-8; nil if it is absent.
    @inline(__always)
    public func buffer(
        _ field: @autoclosure () -> String, limit: Int
    ) throws(ViewFault) -> UnsafeBufferPointer<UInt8>? {
        guard let data else {
            guard size == 0 else { throw .sizeWithoutData(field(), size: size) }
            return nil
        }
        guard size <= UInt64(limit) else { throw .tooManyBytes(field(), size, limit: limit) }
        return UnsafeBufferPointer(
            start: UnsafeRawPointer(data).assumingMemoryBound(to: UInt8.self), count: Int(size))
    }

    /// Copies the first `limit` bytes and replaces bytes that are not UTF-8 by U+FFFD; nil if the text is absent. For
    /// messages: a report must not fail because of its own text.
    public func repaired(limit: Int) -> String? {
        guard let data else { return nil }
        let bytes = UnsafeRawBufferPointer(start: data, count: Int(min(size, UInt64(limit))))
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ovl_bytes {
    /// The borrowed bytes; nil if they are absent.
    public func buffer(
        _ field: @autoclosure () -> String, limit: Int
    ) throws(ViewFault) -> UnsafeRawBufferPointer? {
        guard let data else {
            guard size == 0 else { throw .sizeWithoutData(field(), size: size) }
            return nil
        }
        guard size <= UInt64(limit) else { throw .tooManyBytes(field(), size, limit: limit) }
        return UnsafeRawBufferPointer(start: data, count: Int(size))
    }
}

extension ovl_texts {
    /// The borrowed views of the texts; nil if the list is absent.
    @inline(__always)
    public func buffer(
        _ field: @autoclosure () -> String, limit: Int
    ) throws(ViewFault) -> UnsafeBufferPointer<ovl_text>? {
        guard let items else {
            guard count == 0 else { throw .countWithoutItems(field(), count: count) }
            return nil
        }
        guard count <= UInt64(limit) else { throw .tooManyElements(field(), count, limit: limit) }
        guard count == 0 || UInt(bitPattern: items) & 7 == 0 else { throw .misaligned(field()) }
        return UnsafeBufferPointer(start: items, count: Int(count))
    }

    /// Copies the texts, which must not be absent; nil if the list is absent.
    public func copy(
        _ field: @autoclosure () -> String, limit: Int, textLimit: Int
    ) throws(ViewFault) -> [String]? {
        guard let items = try buffer(field(), limit: limit) else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(items.count)
        for item in items {
            guard let text = try item.copy(field(), limit: textLimit) else { throw .absent(field()) }
            texts.append(text)
        }
        return texts
    }
}

extension ovl_list {
    /// Calls `body` with a copy of each record, in order. An absent list has no records.
    ///
    /// - Parameter smallest: the size in bytes of the smallest record in any version.
    @inlinable
    public func forEach<Record: ABIRecord, Failure>(
        _ type: Record.Type, _ field: @autoclosure () -> String, limit: Int, smallest: Int,
        fault: (ViewFault) -> Failure, _ body: (Record) throws(Failure) -> Void
    ) throws(Failure) {
        guard let items else {
            guard count == 0 else { throw fault(.countWithoutItems(field(), count: count)) }
            return
        }
        guard count <= UInt64(limit) else {
            throw fault(.tooManyElements(field(), count, limit: limit))
        }
        guard count > 0 else { return }
        guard stride >= UInt64(smallest), stride % 8 == 0, stride <= UInt64(Int.max) / count else {
            throw fault(.stride(field(), stride: stride))
        }
        for index in 0..<Int(count) {
            let pointer = (items + index * Int(stride)).assumingMemoryBound(to: Record.self)
            let record: Record
            do throws(ViewFault) {
                record = try Record.copy(at: pointer, smallest: smallest, room: Int(stride))
            } catch {
                throw fault(error)
            }
            try body(record)
        }
    }
}
