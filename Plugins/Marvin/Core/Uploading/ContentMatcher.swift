import OverlayKit

/// Finds a book of the library that has the very bytes of a file, without fetching either as a whole.
///
/// Only files of the same size are compared. Sizes come from the last listing as far as it knows them; a size that has changed
/// since costs a match, never a wrong one.
struct ContentMatcher {
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

    /// Whether a book has the content of a lent file of so many bytes; nil: it cannot be told.
    mutating func isSame(
        _ book: LibraryBook, as file: HostFile, size: UInt64
    ) throws(OverlayError) -> Bool? {
        let alike = try sizes()[size] ?? []
        guard alike.contains(where: { $0.fileName.bytes == book.fileName.bytes }) else { return false }
        return try ContentComparison(device).isSame(file, size, book.fileName)
    }

    /// The book with the content of a lent file of so many bytes that is not among `claimed`; nil: there is none.
    ///
    /// - Throws: why a file of that size cannot be read.
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
        for entry in try device.cache.load(device)?.entries ?? [] {
            if let size = entry.size { known[entry.book.fileName.bytes] = size }
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
