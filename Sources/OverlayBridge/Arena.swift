import OverlayABI

/// The memory for the views of a call. The content does not move until `reset` or the end of the arena.
///
/// An arena can be used for many calls: `reset` keeps the first block, so that a listing allocates only once. An
/// empty arena, which is sufficient for most calls, does not allocate memory.
package final class Arena {
    private static let blockSize = 16 * 1024
    /// The address for content without bytes, because null would mean absent.
    private static var nowhere: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(bitPattern: 16).unsafelyUnwrapped
    }
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var next: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer

    /// Creates an empty arena.
    package init() { (next, end) = (Self.nowhere, Self.nowhere) }

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Discards the content, which invalidates all its views.
    package func reset() {
        while blocks.count > 1, let block = blocks.popLast() { block.deallocate() }
        if let first = blocks.first { (next, end) = Self.bounds(first) }
    }

    /// Returns uninitialized memory, aligned to 8 bytes.
    @inline(__always)
    package func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let aligned = next.alignedUp(toMultipleOf: 8)
        guard byteCount <= end - aligned else { return allocateBlock(byteCount) }
        next = aligned + byteCount
        return aligned
    }

    @inline(never)
    private func allocateBlock(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(Self.blockSize, byteCount), alignment: 16)
        blocks.append(block)
        let (start, blockEnd) = Self.bounds(block)
        (next, end) = (start + byteCount, blockEnd)
        return start
    }

    private static func bounds(
        _ block: UnsafeMutableRawBufferPointer
    ) -> (UnsafeMutableRawPointer, UnsafeMutableRawPointer) {
        // A block is not empty, so it has an address.
        let start = block.baseAddress.unsafelyUnwrapped
        return (start, start + block.count)
    }
}

extension Arena {
    /// Returns a view of a copy of `text`; absent for nil.
    package func text(_ text: String?) -> ovl_text {
        guard let text else { return ovl_text() }
        return self.text(text)
    }

    /// Returns a view of a copy of `text`.
    @inline(__always)
    package func text(_ text: String) -> ovl_text {
        let copied = text.utf8.withContiguousStorageIfAvailable { utf8 in
            let memory = allocate(utf8.count)
            if let source = utf8.baseAddress { memory.copyMemory(from: source, byteCount: utf8.count) }
            return ovl_text(data: memory.assumingMemoryBound(to: CChar.self), size: UInt64(utf8.count))
        }
        return copied ?? copyForeign(text)
    }

    /// Returns a view of a copy of a text, which is not retained.
    func text(lent: borrowing Lent<String?>) -> ovl_text {
        guard let text = lent.value else { return ovl_text() }
        return self.text(text)
    }

    private func text(lent: borrowing Lent<String>) -> ovl_text { text(lent.value) }

    /// Returns a view of copies of `texts`; absent for nil.
    package func texts(_ texts: [String]?) -> ovl_texts {
        guard let texts else { return ovl_texts() }
        return copies(texts)
    }

    /// Returns a view of copies of texts, which are not retained.
    func texts(lent: borrowing Lent<[String]?>) -> ovl_texts {
        guard let texts = lent.value else { return ovl_texts() }
        return copies(texts)
    }

    private func copies(_ texts: [String]) -> ovl_texts {
        let items = allocate(texts.count * MemoryLayout<ovl_text>.stride).assumingMemoryBound(
            to: ovl_text.self)
        texts.withUnsafeBytes { texts in
            let lent = texts.assumingMemoryBound(to: Lent<String>.self)
            for index in 0..<lent.count { (items + index).initialize(to: text(lent: lent[index])) }
        }
        return ovl_texts(items: items, count: UInt64(texts.count))
    }

    /// Returns a view of a copy of `bytes`; absent for nil.
    package func bytes(_ bytes: [UInt8]?) -> ovl_bytes {
        guard let bytes else { return ovl_bytes() }
        let memory = allocate(bytes.count)
        bytes.withUnsafeBytes { source in
            if let address = source.baseAddress { memory.copyMemory(from: address, byteCount: source.count) }
        }
        return ovl_bytes(data: memory.assumingMemoryBound(to: UInt8.self), size: UInt64(bytes.count))
    }

    /// Returns a view of the records that `convert` creates from `values`.
    package func list<Value, Record: ABIRecord>(
        _ values: [Value], _ convert: (Value) -> Record
    ) -> ovl_list {
        let stride = MemoryLayout<Record>.stride
        let items = allocate(values.count * stride).assumingMemoryBound(to: Record.self)
        for index in values.indices { (items + index).initialize(to: convert(values[index])) }
        return ovl_list(items: UnsafeRawPointer(items), count: UInt64(values.count), stride: UInt64(stride))
    }

    /// Copies a text that is not stored as contiguous UTF-8.
    @inline(never)
    private func copyForeign(_ text: String) -> ovl_text {
        var text = text
        return text.withUTF8 { utf8 in
            let memory = allocate(utf8.count)
            if let source = utf8.baseAddress { memory.copyMemory(from: source, byteCount: utf8.count) }
            return ovl_text(data: memory.assumingMemoryBound(to: CChar.self), size: UInt64(utf8.count))
        }
    }
}

/// A borrowed value that is neither copied nor retained, because a booklist may have more than a million texts.
struct Lent<Value>: ~Copyable {
    let value: Value
}
