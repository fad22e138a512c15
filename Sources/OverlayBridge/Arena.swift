import OverlayABI

/// The memory behind the views of a call: its content keeps its address until `reset` or the end of the arena.
///
/// One arena serves many calls: `reset` keeps the first block, so that a listing allocates once. One that holds nothing, as in
/// most calls, allocates nothing.
package final class Arena {
    private static let blockSize = 16 * 1024
    /// An address for what has no bytes, which is not absent for that.
    private static var nowhere: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(bitPattern: 16).unsafelyUnwrapped
    }
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var next: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer

    /// Empty memory.
    package init() { (next, end) = (Self.nowhere, Self.nowhere) }

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Discards the content; all views of it are invalid afterwards.
    package func reset() {
        while blocks.count > 1, let block = blocks.popLast() { block.deallocate() }
        if let first = blocks.first { (next, end) = Self.bounds(first) }
    }

    /// Uninitialised memory, aligned to 8 bytes.
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
        // A block is never empty, so it has an address.
        let start = block.baseAddress.unsafelyUnwrapped
        return (start, start + block.count)
    }
}

extension Arena {
    /// A view of a copy of `text`; absent for nil.
    package func text(_ text: String?) -> ovl_text {
        guard let text else { return ovl_text() }
        return self.text(text)
    }

    /// A view of a copy of `text`.
    @inline(__always)
    package func text(_ text: String) -> ovl_text {
        let copied = text.utf8.withContiguousStorageIfAvailable { utf8 in
            let memory = allocate(utf8.count)
            if let source = utf8.baseAddress { memory.copyMemory(from: source, byteCount: utf8.count) }
            return ovl_text(data: memory.assumingMemoryBound(to: CChar.self), size: UInt64(utf8.count))
        }
        return copied ?? copyForeign(text)
    }

    /// The same of a text that stays where it is.
    func text(lent: borrowing Lent<String?>) -> ovl_text {
        guard let text = lent.value else { return ovl_text() }
        return self.text(text)
    }

    private func text(lent: borrowing Lent<String>) -> ovl_text { text(lent.value) }

    /// A view of copies of `texts`; absent for nil.
    package func texts(_ texts: [String]?) -> ovl_texts {
        guard let texts else { return ovl_texts() }
        return copies(texts)
    }

    /// The same of a list that stays where it is.
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

    /// A view of a copy of `bytes`; absent for nil.
    package func bytes(_ bytes: [UInt8]?) -> ovl_bytes {
        guard let bytes else { return ovl_bytes() }
        let memory = allocate(bytes.count)
        bytes.withUnsafeBytes { source in
            if let address = source.baseAddress { memory.copyMemory(from: address, byteCount: source.count) }
        }
        return ovl_bytes(data: memory.assumingMemoryBound(to: UInt8.self), size: UInt64(bytes.count))
    }

    /// A view of the records that `convert` makes of `values`.
    package func list<Value, Record: ABIRecord>(
        _ values: [Value], _ convert: (Value) -> Record
    ) -> ovl_list {
        let stride = MemoryLayout<Record>.stride
        let items = allocate(values.count * stride).assumingMemoryBound(to: Record.self)
        for index in values.indices { (items + index).initialize(to: convert(values[index])) }
        return ovl_list(items: UnsafeRawPointer(items), count: UInt64(values.count), stride: UInt64(stride))
    }

    /// Copies a text that Swift does not keep as contiguous UTF-8.
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

/// A value where it is, of which nothing is copied or retained: a booklist has a million texts and more.
struct Lent<Value>: ~Copyable {
    let value: Value
}
