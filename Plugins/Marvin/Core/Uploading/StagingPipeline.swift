import OverlayKit

/// Copies the books of a batch into the staging folder while Marvin works on the batch before it, so that neither of the two
/// waits for the other.
///
/// It only saves time: no command names these files yet, and what did not arrive here is copied when its turn comes.
final class StagingPipeline {
    /// What travels between two looks at Marvin's status.
    private static let (mostBooks, mostBytes) = (16, UInt64(8 << 20))

    private let device: MarvinDevice
    private var open: [LibraryUpload]
    private var room: UInt64 = 0
    private var arrived: [Int: LibraryUpload] = [:]

    /// Nothing is copied before `begin`.
    init(_ device: MarvinDevice, _ books: ArraySlice<LibraryUpload>) {
        (self.device, open) = (device, Array(books))
    }

    /// Takes up the work, as far as the device has the space: Marvin may copy the books that it has at hand.
    func begin(beside books: [LibraryUpload]) {
        guard !open.isEmpty else { return }
        do throws(OverlayError) {
            let free = try device.host.transport.freeSpace().free
            let kept = books.reduce(UploadBatch.reserve) { $0.addingReportingOverflow($1.size).partialValue }
            room = free > kept ? free - kept : 0
        } catch {
            stop(error)
        }
    }

    /// Copies some of the books.
    ///
    /// - Returns: false when there was nothing to do.
    func step() -> Bool {
        guard !device.host.cancellation.isCancelled else { return false }
        var (slice, bytes): ([LibraryUpload], UInt64) = ([], 0)
        while let book = open.first, slice.count < Self.mostBooks, book.size <= room,
            slice.isEmpty || bytes + book.size <= Self.mostBytes
        {
            slice.append(open.removeFirst())
            (room, bytes) = (room - book.size, bytes + book.size)
        }
        guard !slice.isEmpty else { return false }
        let items = slice.map { PushItem($0.file, to: device.paths.staged($0.name)) }
        do throws(OverlayError) {
            try device.host.transport.push(device.root, items) { row in
                guard row.status == .ok, row.outcome != .failed else { return }
                arrived[slice[row.index].index] = slice[row.index]
            }
        } catch {
            stop(error)
        }
        return true
    }

    private func stop(_ error: OverlayError) {
        open = []
        device.host.log.debug("marvin", "Not copying books in advance: \(error.message)")
    }

    /// Whether a book is in the staging folder.
    func has(_ book: LibraryUpload) -> Bool { arrived[book.index] != nil }

    /// Hands over the books that are in the staging folder, by their items: from here on they are the caller's to withdraw.
    func take() -> Set<Int> {
        defer { arrived = [:] }
        return Set(arrived.keys)
    }

    /// Removes what no command will name.
    func withdraw() {
        _ = device.withdraw(arrived.values.map { device.paths.staged($0.name) }.sorted())
        arrived = [:]
    }
}
