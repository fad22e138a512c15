import OverlayKit

/// Copies the books of a batch to the staging folder while Marvin works on the preceding batch, so that copying and
/// Marvin do not wait for each other.
///
/// This only saves time: no command refers to these files yet, and what was not copied here is copied later.
final class StagingPipeline {
    /// The most books, and bytes, copied between two checks of Marvin's status.
    private static let (mostBooks, mostBytes) = (16, UInt64(8 << 20))

    private let device: MarvinDevice
    private var open: [LibraryUpload]
    private var room: UInt64 = 0
    private var arrived: [Int: LibraryUpload] = [:]

    /// Creates a pipeline. Copying starts with `begin`.
    init(_ device: MarvinDevice, _ books: ArraySlice<LibraryUpload>) {
        (self.device, open) = (device, Array(books))
    }

    /// Starts to copy, as far as the device has enough space. Marvin may still need space to copy the books that it
    /// is working on.
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
    /// - Returns: false if there was nothing to do.
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

    /// Returns the items of the books in the staging folder; from now on, the caller must remove those files.
    func take() -> Set<Int> {
        defer { arrived = [:] }
        return Set(arrived.keys)
    }

    /// Removes staged files to which no command will refer.
    func withdraw() {
        _ = device.withdraw(arrived.values.map { device.paths.staged($0.name) }.sorted())
        arrived = [:]
    }
}
