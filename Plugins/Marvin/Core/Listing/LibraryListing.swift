import DeviceDatabases
import OverlayKit

/// One listing: it reuses what is still valid from the last one, and reads the rest from the device.
///
/// * If nothing has changed, only the library and the folders are checked.
/// * If the library has changed, or may have within a tick of the device's clock, it is copied. The files of new and
///   changed books are checked; if the folder has changed too, the files of all books are. Only images of changed
///   covers are read.
/// * If only a folder has changed, its files are checked.
final class LibraryListing {
    let device: MarvinDevice
    /// The result of this listing.
    private(set) var snapshot: LibrarySnapshot
    /// Whether the images are unchanged, except for those of `changed` books.
    let hasSameCovers: Bool
    /// The indexes of books that are new or changed in the library.
    private(set) var changed: Set<Int> = []
    /// The library's copy, if one was made; it is deleted when the last reference is released.
    private(set) var copy: OpenLibrary?
    /// A time that the device's clock has passed.
    let deviceTime: Int64
    private var isNew: Bool

    /// Lists the books with the sizes of their files; covers are taken over from before.
    ///
    /// - Parameter withCopy: whether to copy the library in any case.
    /// - Throws: `notFound` if there is no library.
    init(_ device: MarvinDevice, withCopy: Bool = false) throws(OverlayError) {
        self.device = device
        var last = try device.cache.load(device.paths)
        var state = try LibraryState.take(device.host, device.paths)
        if last == nil { last = try BooklistCopy(device).fetch() }
        let isSettled = last?.isSettled ?? false
        let isSame = isSettled && last?.state.mark == state.mark && !state.mark.hasActiveJournal
        if let last, isSame, !withCopy {
            snapshot = last
            snapshot.state = state
            let hasSameFiles = last.state.documents == state.documents
            hasSameCovers = last.state.covers == state.covers
            isNew = !hasSameFiles || !hasSameCovers
            // This time is needed only if something is new.
            deviceTime = isNew ? try Self.deviceTime(device) : 0
            if isNew {
                // The device's clock may not have passed the folders' new times yet.
                snapshot.isSettled = state.isSettled(at: deviceTime)
                snapshot.seenAt = device.wallClock()
            }
            if !hasSameFiles { try checkFiles(Array(snapshot.books.indices)) }
            return
        }
        deviceTime = try Self.deviceTime(device)
        // The folders' state is read before their files, so that the next listing notices a change in between.
        let library = try OpenLibrary(device, known: state.mark)
        copy = library
        state.mark = library.mark
        let seenAt = last?.state == state ? last?.seenAt : nil
        let now = device.wallClock()
        snapshot = LibrarySnapshot(
            state: state, isSettled: state.isSettled(at: deviceTime), seenAt: seenAt ?? now,
            books: library.library.books,
            files: Array(repeating: LibrarySnapshot.FileEntry(), count: library.library.books.count),
            textBytes: library.library.textBytes, lacks: library.library.lacks, pushed: last?.pushed)
        if let seenAt, now - seenAt >= LibraryState.tick { snapshot.isSettled = true }
        // If a folder looks the same in a settled state, it contains the same files.
        let hasSameFiles = isSettled && last?.state.documents == state.documents
        hasSameCovers = isSettled && last?.state.covers == state.covers
        isNew = true
        let known = adopt(last)
        try checkFiles(snapshot.books.indices.filter { !hasSameFiles || !known.contains($0) })
    }

    /// A time that the device's clock has certainly passed: Marvin's last update of its connection, or the last
    /// change in the folder of commands. 0 if nothing is certain.
    private static func deviceTime(_ device: MarvinDevice) throws(OverlayError) -> Int64 {
        try device.infos([device.paths.staged("connected.xml"), device.paths.staging])
            .compactMap { $0?.modified }.max() ?? 0
    }

    /// The copy of the library, made now if it was not needed before.
    func openCopy() throws(OverlayError) -> OpenLibrary {
        if let copy { return copy }
        let made = try OpenLibrary(device)
        copy = made
        return made
    }

    private func checkFiles(_ indices: [Int]) throws(OverlayError) {
        let files = try device.files(
            indices.map { device.paths.document(snapshot.books[$0].fileName) },
            phase: "Checking files on the device")
        for (index, file) in zip(indices, files) { snapshot.files[index].size = file?.size }
    }

    /// Takes over what was known about the file and cover of each book; these are still to be checked.
    ///
    /// - Returns: the books that are unchanged in the library.
    private func adopt(_ last: LibrarySnapshot?) -> Set<Int> {
        guard let last else {
            changed = Set(snapshot.books.indices)
            return []
        }
        var covers: [String: CoverEntry] = [:]
        var places: [[UInt8]: Int] = [:]
        for (place, book) in last.books.enumerated() {
            places[book.fileName.bytes] = place
            guard let hash = book.hash, let cover = last.files[place].cover, !cover.isBlob else { continue }
            covers[hash] = cover
        }
        var known: Set<Int> = []
        for (index, book) in snapshot.books.enumerated() {
            snapshot.files[index].cover = book.hash.flatMap { covers[$0] }
            if let place = places[book.fileName.bytes],
                snapshot.books.isSame(index, as: last.books, place)
            {
                snapshot.files[index].size = last.files[place].size
                known.insert(index)
            } else {
                changed.insert(index)
            }
        }
        // Copies of one book share a cover.
        let hashes = Set(changed.compactMap { snapshot.books[$0].hash })
        for index in known where snapshot.books[index].hash.map(hashes.contains) ?? false {
            changed.insert(index)
        }
        return known
    }

    /// Records the cover of a book that the listing delivers.
    func note(_ cover: CoverEntry?, of index: Int) {
        guard snapshot.files[index].cover != cover else { return }
        snapshot.files[index].cover = cover
        isNew = true
    }

    /// Makes the next listing check everything again.
    func doubt() {
        snapshot.isSettled = false
        isNew = true
    }

    /// Saves the findings if they are new.
    func keep(without lost: Set<UInt64>) throws(OverlayError) {
        guard try device.cache.isOn() else { return }
        if !lost.isEmpty {
            for index in snapshot.files.indices {
                guard let stored = snapshot.files[index].cover?.stored, lost.contains(stored.pack) else {
                    continue
                }
                snapshot.files[index].cover?.stored = nil
            }
        }
        let pushed = snapshot.pushed
        BooklistCopy(device).update(&snapshot)
        guard isNew || pushed != snapshot.pushed else { return }
        device.cache.save(snapshot)
    }
}
