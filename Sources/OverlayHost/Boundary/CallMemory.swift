import OverlayABI

/// The memory behind the views of one call into an overlay: what is in it stays where it is until the call is over.
package final class CallMemory {
    private static let blockSize = 64 << 10
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0

    /// Memory without anything in it.
    package init() {}

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Uninitialised bytes, aligned to 16; valid as long as this object.
    private func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let start = (used + 15) & ~15
        if let block = blocks.last, count <= block.count - start {
            used = start + count
            return UnsafeMutableRawBufferPointer(rebasing: block[start..<used])
        }
        // A text as large as a block gets one of its own, never an empty one, which would have no address.
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(Self.blockSize, count), alignment: 16)
        blocks.append(block)
        used = count
        return UnsafeMutableRawBufferPointer(rebasing: block[..<count])
    }

    /// A view of a copy of `text`; absent for nil.
    package func text(_ text: String?) -> ovl_text {
        guard var text else { return ovl_text() }
        return text.withUTF8 { utf8 in
            let memory = allocate(max(utf8.count, 1))
            memory.copyMemory(from: UnsafeRawBufferPointer(utf8))
            let data = memory.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
            return ovl_text(data: data, size: UInt64(utf8.count))
        }
    }

    /// A view of copies of `texts`; absent for nil.
    package func texts(_ texts: [String]?) -> ovl_texts {
        guard let texts else { return ovl_texts() }
        let items = array(texts.count, of: ovl_text.self) { text(texts[$0]) }
        return ovl_texts(items: items, count: UInt64(texts.count))
    }

    /// A view of a copy of `bytes`; absent for nil.
    package func bytes(_ bytes: [UInt8]?) -> ovl_bytes {
        guard let bytes else { return ovl_bytes() }
        let memory = allocate(max(bytes.count, 1))
        memory.copyBytes(from: bytes)
        return ovl_bytes(
            data: memory.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) },
            size: UInt64(bytes.count))
    }

    /// A view of the records that `convert` makes of `values`.
    package func list<Value, Record: BoundaryRecord>(_ values: [Value], _ convert: (Value) -> Record)
        -> ovl_list
    {
        let items = array(values.count, of: Record.self) { convert(values[$0]) }
        return ovl_list(
            items: items.map { UnsafeRawPointer($0) }, count: UInt64(values.count),
            stride: UInt64(MemoryLayout<Record>.stride))
    }

    private func array<Element>(_ count: Int, of type: Element.Type, _ element: (Int) -> Element)
        -> UnsafePointer<Element>?
    {
        let memory = allocate(max(count, 1) * MemoryLayout<Element>.stride)
        guard let items = memory.baseAddress?.bindMemory(to: Element.self, capacity: max(count, 1)) else {
            return nil
        }
        for index in 0..<count { (items + index).initialize(to: element(index)) }
        return UnsafePointer(items)
    }
}
