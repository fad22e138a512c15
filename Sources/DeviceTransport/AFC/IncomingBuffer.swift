/// A buffer for received bytes. It grows with the bytes that arrive, never by an announced length alone.
struct IncomingBuffer {
    private static let standard = 128 << 10
    private static let keeps = 8 << 20

    private let memory = Memory(standard)
    private var start = 0
    private var end = 0
    /// The length of the packet at `start`, if its header was read.
    private var wanted = 0

    /// The space for the next read, at least one byte.
    mutating func space() -> UnsafeMutableRawBufferPointer {
        if start == end {
            start = 0
            end = 0
            if memory.capacity > Self.keeps { memory.resize(Self.standard, keeping: 0..<0) }
        }
        // A large packet is read exactly to its end, so that no following bytes have to be moved.
        let missing = max(wanted - (end - start), 0)
        if memory.capacity - end < min(max(missing, 4096), 64 << 10) {
            let filled = end - start
            if filled + max(missing, 4096) <= memory.capacity {
                memory.move(start..<end)
            } else {
                memory.resize(
                    min(max(filled + missing, 4096), memory.capacity * 2) + 4096, keeping: start..<end)
            }
            start = 0
            end = filled
        }
        let room = memory.capacity - end
        let count = missing > 32 << 10 ? min(missing, room) : room
        return UnsafeMutableRawBufferPointer(start: memory.base + end, count: count)
    }

    /// The number of bytes that have arrived and were not taken yet.
    var waiting: Int { end - start }

    mutating func filled(_ count: Int) { end += count }

    /// Whether more bytes should be read before the packets are decoded.
    var hasRoom: Bool { end - start < wanted || (wanted == 0 && memory.capacity - end >= 16 << 10) }

    /// The header of the next packet; nil if it is incomplete.
    func header(_ size: Int) -> UnsafeRawBufferPointer? {
        guard end - start >= size else { return nil }
        return UnsafeRawBufferPointer(start: memory.base + start, count: size)
    }

    /// Takes the next packet; nil if it is incomplete.
    mutating func packet(_ length: Int) -> UnsafeRawBufferPointer? {
        guard end - start >= length else {
            wanted = length
            return nil
        }
        return UnsafeRawBufferPointer(start: memory.base + start, count: length)
    }

    mutating func consume(_ length: Int) {
        start += length
        wanted = 0
    }

    private final class Memory {
        private(set) var base: UnsafeMutableRawPointer
        private(set) var capacity: Int

        init(_ capacity: Int) {
            self.capacity = capacity
            base = .allocate(byteCount: capacity, alignment: 16)
        }

        deinit { base.deallocate() }

        func move(_ range: Range<Int>) {
            base.copyMemory(from: base + range.lowerBound, byteCount: range.count)
        }

        func resize(_ size: Int, keeping range: Range<Int>) {
            let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            larger.copyMemory(from: base + range.lowerBound, byteCount: range.count)
            base.deallocate()
            base = larger
            capacity = size
        }
    }
}
