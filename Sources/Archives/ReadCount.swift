import FoundationEssentials
import Synchronization

/// Counts what is read from a source.
final class ReadCount: Sendable {
    /// Bytes delivered.
    let bytes = Atomic<Int64>(0)
    /// Calls made.
    let calls = Atomic<Int>(0)

    /// Reads and counts.
    func read(_ source: any ByteSource, at offset: Int64, count: Int) throws(ArchiveError) -> Data {
        let data: Data
        do throws(ByteSourceError) {
            data = try source.read(at: offset, count: count)
        } catch {
            throw ArchiveError(error)
        }
        calls.wrappingAdd(1, ordering: .relaxed)
        bytes.wrappingAdd(Int64(data.count), ordering: .relaxed)
        return data
    }
}
