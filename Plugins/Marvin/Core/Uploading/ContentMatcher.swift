import OverlayKit

/// Finds a book of the library that has the very bytes of a file, without fetching either as a whole.
///
/// Files of the same size are compared at their beginning and at their end: there an EPUB has the directory of its archive, with
/// the checksum of every part of it. Sizes come from the last listing as far as it knows them; a size that has changed since
/// costs a match, never a wrong one.
struct ContentMatcher {
    private static let head: UInt64 = 4 << 10
    private static let tail: UInt64 = 64 << 10
    /// Books of one size that are compared; more of them are no books that anybody has.
    private static let mostCandidates = 8

    private let device: MarvinDevice
    private var library: [LibraryBook]
    private var bySize: [UInt64: [LibraryBook]]?

    /// - Parameter sizes: bytes of each file, where a listing has just told them; nil: they are looked up when needed.
    init(_ device: MarvinDevice, library: [LibraryBook], sizes: [[UInt8]: UInt64]? = nil) {
        self.device = device
        if let sizes {
            bySize = Dictionary(grouping: library.filter { sizes[$0.fileName.bytes] != nil }) {
                sizes[$0.fileName.bytes] ?? 0
            }
        }
        self.library = library
    }

    /// The book with the content of a lent file of so many bytes; nil: there is none.
    mutating func book(_ file: HostFile, size: UInt64) throws(OverlayError) -> LibraryBook? {
        guard size > 0, !library.isEmpty else { return nil }
        let candidates = try sizes()[size] ?? []
        for candidate in candidates.prefix(Self.mostCandidates)
        where try isSame(file, size, candidate) == true {
            return candidate
        }
        return nil
    }

    private mutating func sizes() throws(OverlayError) -> [UInt64: [LibraryBook]] {
        if let bySize { return bySize }
        var known: [[UInt8]: UInt64] = [:]
        for entry in try device.cache.load(device)?.entries ?? [] {
            if let size = entry.size { known[entry.book.fileName.bytes] = size }
        }
        var found: [UInt64: [LibraryBook]] = [:]
        let open = library.filter { known[$0.fileName.bytes] == nil }
        let files = try device.files(
            open.map { device.paths.document($0.fileName) }, phase: "Looking at files")
        for (book, file) in zip(open, files) { known[book.fileName.bytes] = file?.size }
        for book in library {
            if let size = known[book.fileName.bytes] { found[size, default: []].append(book) }
        }
        bySize = found
        return found
    }

    /// Whether a book's file of the same size has the content of a lent file; nil: it cannot be told.
    func isSame(_ file: HostFile, _ size: UInt64, _ book: LibraryBook) throws(OverlayError) -> Bool? {
        let path = device.paths.document(book.fileName)
        let tail = min(size, Self.tail)
        let parts = [(UInt64(0), min(size, Self.head)), (size - tail, tail)]
        let requests = parts.map { ReadRequest(path, offset: $0.0, length: $0.1) }
        let theirs = try device.host.transport.readMany(device.root, requests)
        for (part, result) in zip(parts, theirs) {
            guard case .success(let bytes) = result, UInt64(bytes.count) == part.1 else { return nil }
            var ours: [UInt8] = []
            try device.host.transport.localRead(file, offset: part.0, length: part.1) { chunk, _, _ in
                ours.append(contentsOf: chunk)
            }
            guard UInt64(ours.count) == part.1 else { return nil }
            guard ours == bytes else { return false }
        }
        return true
    }
}
