import FoundationEssentials
import Glibc

extension Data {
    /// Data of at most `capacity` bytes that `body` writes without the memory being cleared before.
    ///
    /// - Parameter body: writes to the buffer and returns how many bytes at its beginning count.
    package static func filling<Failure: Error>(
        _ capacity: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Data {
        guard capacity > 0, let memory = malloc(capacity) else { return Data() }
        let count: Int
        do {
            count = try body(UnsafeMutableRawBufferPointer(start: memory, count: capacity))
        } catch {
            free(memory)
            throw error
        }
        guard count > 0 else {
            free(memory)
            return Data()
        }
        // A buffer that stayed mostly empty would keep its whole memory for as long as the data lives.
        let kept = count < capacity / 2 ? (realloc(memory, count) ?? memory) : memory
        return Data(bytesNoCopy: kept, count: Swift.min(count, capacity), deallocator: .free)
    }
}

extension Data {
    /// A copy of `count` bytes from an offset that counts from 0, as far as they are there.
    package func part(from offset: Int64, count wanted: Int64) -> Data {
        let start = Swift.min(Swift.max(0, offset), Int64(count))
        let end = start + Swift.min(Swift.max(0, wanted), Int64(count) - start)
        // A slice would begin at another index than 0, which callers do not expect.
        return Data(self[(startIndex + Int(start))..<(startIndex + Int(end))])
    }
}
