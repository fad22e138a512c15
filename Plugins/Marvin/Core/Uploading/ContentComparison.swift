import OverlayKit

/// Compares a book's file with a file of the host that has the same size, without fetching either completely.
///
/// It compares their beginnings and ends. An EPUB has at its end the archive's directory, with the size and checksum
/// of every part. The whole directory is compared, however long it is.
struct ContentComparison {
    private static let head: UInt64 = 4 << 10
    /// The bytes of the end that are read first: enough for the end record of an archive with the longest possible
    /// comment (ZIP application note, section 4.3.16).
    private static let tail: UInt64 = 66 << 10
    /// The longest directory that is compared; even a book with ten thousand parts has a shorter one.
    private static let longest: UInt64 = 4 << 20

    private let device: MarvinDevice

    init(_ device: MarvinDevice) { self.device = device }

    /// Whether the contents are the same; nil if that cannot be determined, for example because the book's file
    /// cannot be read.
    func isSameAsFarAsRead(
        _ file: HostFile, _ size: UInt64, _ name: String
    ) throws(OverlayError) -> Bool? {
        do throws(OverlayError) {
            return try isSame(file, size, name)
        } catch {
            if error.endsTheCall { throw error }
            return nil
        }
    }

    /// Whether the contents are the same; nil if the files are not archives that can be compared by their ends.
    ///
    /// - Parameters:
    ///   - size: the size of both files in bytes.
    ///   - name: the name of the book's file.
    /// - Throws: why the book's file cannot be read. A missing file counts as different content.
    func isSame(_ file: HostFile, _ size: UInt64, _ name: String) throws(OverlayError) -> Bool? {
        let tail = min(size, Self.tail)
        let start = size - tail
        guard let end = try ours(file, start, tail) else { return nil }
        guard let directory = Self.directory(end) else { return nil }
        guard directory <= Self.longest, directory <= size else { return nil }
        var parts = [(UInt64(0), min(size, Self.head)), (start, tail)]
        if directory > tail { parts.append((size - directory, directory - tail)) }
        let path = device.paths.document(name)
        let theirs = try device.host.transport.readMany(
            device.root, parts.map { ReadRequest(path, offset: $0.0, length: $0.1) })
        for (part, result) in zip(parts, theirs) {
            let bytes: [UInt8]
            switch result {
            case .success(let read): bytes = read
            case .failure(let error) where error.status == .notFound: return false
            case .failure(let error): throw error
            }
            guard UInt64(bytes.count) == part.1 else { return false }
            guard let ours = try ours(file, part.0, part.1) else { return nil }
            guard ours == bytes else { return false }
        }
        return true
    }

    private func ours(_ file: HostFile, _ offset: UInt64, _ length: UInt64) throws(OverlayError) -> [UInt8]? {
        var bytes: [UInt8] = []
        try device.host.transport.localRead(file, offset: offset, length: length) { chunk, _, _ in
            bytes.append(contentsOf: chunk)
        }
        return UInt64(bytes.count) == length ? bytes : nil
    }

    /// The number of bytes from the start of an archive's directory to the end of the file, read from the file's last
    /// bytes; nil if the archive ends differently or has more than 4 GB.
    private static func directory(_ end: [UInt8]) -> UInt64? {
        func number(_ index: Int, _ width: Int) -> UInt64 {
            (0..<width).reduce(0) { $0 | UInt64(end[index + $1]) << (8 * UInt64($1)) }
        }
        let record = 22
        let starts = stride(from: end.count - record, through: 0, by: -1)
        guard
            let start = starts.first(where: {
                number($0, 4) == 0x0605_4B50 && $0 + record + Int(number($0 + 20, 2)) == end.count
            })
        else { return nil }
        let length = number(start + 12, 4)
        return length == 0xFFFF_FFFF ? nil : length + UInt64(end.count - start)
    }
}

/// Finds a book of the library with exactly the bytes of a file, without fetching either completely.
///
/// Only files of the same size are compared. Sizes come from the last listing if it has them. If a size has changed
/// since, a match may be missed, but never a wrong one found.
struct ContentMatcher {
    /// The most books of one size that are compared. Real libraries have fewer.
    private static let mostCandidates = 8

    private let device: MarvinDevice
    private var library: [LibraryBook]
    private var bySize: [UInt64: [LibraryBook]]?

    /// - Parameter sizes: the size of each file in bytes if a listing has just determined them; nil reads them when
    ///   needed.
    init(_ device: MarvinDevice, library: [LibraryBook], sizes: [[UInt8]: UInt64]? = nil) {
        self.device = device
        if let sizes {
            bySize = Dictionary(grouping: library.filter { sizes[$0.fileName.bytes] != nil }) {
                sizes[$0.fileName.bytes] ?? 0
            }
        }
        self.library = library
    }

    /// Whether a book has the content of a file of the host with this size; nil if this cannot be determined.
    mutating func isSame(
        _ book: LibraryBook, as file: HostFile, size: UInt64
    ) throws(OverlayError) -> Bool? {
        let alike = try sizes()[size] ?? []
        guard alike.contains(where: { $0.fileName.bytes == book.fileName.bytes }) else { return false }
        return try ContentComparison(device).isSame(file, size, book.fileName)
    }

    /// A book with the content of a file of the host with this size that is not among `claimed`; nil if there is
    /// none.
    ///
    /// - Throws: why a file of this size cannot be read.
    mutating func book(
        _ file: HostFile, size: UInt64, besides claimed: Set<[UInt8]>
    ) throws(OverlayError) -> LibraryBook? {
        guard size > 0, !library.isEmpty else { return nil }
        let candidates = (try sizes()[size] ?? []).filter { !claimed.contains($0.fileName.bytes) }
        for candidate in candidates.prefix(Self.mostCandidates)
        where try ContentComparison(device).isSame(file, size, candidate.fileName) == true {
            return candidate
        }
        return nil
    }

    private mutating func sizes() throws(OverlayError) -> [UInt64: [LibraryBook]] {
        if let bySize { return bySize }
        var known: [[UInt8]: UInt64] = [:]
        if let last = try device.cache.load(device.paths) {
            for (book, file) in zip(last.books, last.files) { known[book.fileName.bytes] = file.size }
        }
        var found: [UInt64: [LibraryBook]] = [:]
        let open = library.filter { known[$0.fileName.bytes] == nil }
        let files = try device.files(
            open.map { device.paths.document($0.fileName) }, phase: "Checking files on the device")
        for (book, file) in zip(open, files) { known[book.fileName.bytes] = file?.size }
        for book in library {
            if let size = known[book.fileName.bytes] { found[size, default: []].append(book) }
        }
        bySize = found
        return found
    }
}
