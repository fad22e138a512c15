import Glibc
import OverlayABI

/// What a `BookList` is made of: each book is one run of bytes in memory of the host, which holds what is there of it and
/// nothing of what is absent (see `BookRecord.init(packed:)`).
///
/// Unchecked: the collector fills it on one thread; nothing changes it once a `BookList` has it. For the same reason the
/// exclusivity of each access need not be checked while a list of a hundred thousand books is filled.
final class BookStorage: @unchecked Sendable {
    private static let blockSize = 1 << 20
    /// The unit in which the system gives memory to those who ask for much. Asked once per unit instead of once per page it
    /// spends a fraction of the time, which was a quarter of what a list of a hundred thousand books took.
    private static let hugePage = 2 << 20
    /// Lists that have grown so large take huge pages from there on.
    private static let large = 8 << 20

    @exclusivity(unchecked) private var blocks: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var next: UnsafeMutableRawPointer?
    @exclusivity(unchecked) private var room = 0
    @exclusivity(unchecked) private var books: [UnsafeRawPointer] = []
    @exclusivity(unchecked) private var paths = PathTable()
    /// The annotations of the books that have any, by their positions.
    @exclusivity(unchecked) private var annotations: [Int: [BookAnnotation]] = [:]

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// How many books there are.
    var count: Int { books.count }

    /// The book at a position below `count`.
    subscript(position: Int) -> BookRecord {
        var book = BookRecord(packed: PackedReader(books[position]))
        if let annotations = annotations[position] { book.annotations = annotations }
        return book
    }

    /// Bytes that a book takes beside its texts, lists and cover: what `PackedWriter` puts around them, its place in the
    /// array, its slots in the table of paths, each with the room that these keep free.
    static let perBook =
        PackedWriter.overhead + 2 * MemoryLayout<UnsafeRawPointer>.stride + PathTable.perPosition

    /// Bytes of the blocks, for tests of the bound on memory.
    private(set) var allocated = 0

    /// Copies a record that has been checked, with what the check gave of its annotations. False if there is a book of
    /// this path already.
    @inline(__always)
    func append(_ record: ovl_book, _ annotations: [BookAnnotation] = []) -> Bool {
        let (data, size) = (UnsafeRawPointer(record.path.data), Int(record.path.size))
        let hash = paths.hash(data, size)
        guard position(hash, data, size) == nil else { return false }
        paths.insert(hash, count)
        if !annotations.isEmpty { self.annotations[count] = annotations }
        let needed = PackedWriter.size(of: record)
        let place: UnsafeMutableRawPointer
        if needed <= room, let next {
            place = next
            self.next = next + needed
            room -= needed
        } else {
            place = newPlace(needed)
        }
        var writer = PackedWriter(place)
        writer.write(record)
        books.append(UnsafeRawPointer(place))
        return true
    }

    @inline(never)
    private func newPlace(_ needed: Int) -> UnsafeMutableRawPointer {
        // A large book gets a block of its own, so that at most a quarter of each other block stays empty.
        guard needed <= Self.blockSize / 4 else { return newBlock(needed) }
        // Short lists get by with a small block.
        let usual = allocated >= Self.large ? Self.hugePage : Self.blockSize
        let size = max(blocks.isEmpty ? 16 << 10 : usual, needed)
        let block = newBlock(size)
        (next, room) = (block + needed, size - needed)
        return block
    }

    private func newBlock(_ size: Int) -> UnsafeMutableRawPointer {
        let isHuge = size == Self.hugePage
        let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: isHuge ? size : 16)
        // Only advice: without it the memory comes page by page.
        if isHuge { _ = madvise(block, size, Int32(MADV_HUGEPAGE)) }
        blocks.append(block)
        allocated += size
        return block
    }

    /// The position of the book with a path.
    func position(of data: UnsafeRawPointer?, _ size: Int) -> Int? {
        position(paths.hash(data, size), data, size)
    }

    @inline(__always)
    private func position(_ hash: UInt64, _ data: UnsafeRawPointer?, _ size: Int) -> Int? {
        guard let data else { return nil }
        return paths.find(hash) { position in
            var reader = PackedReader(books[position])
            let known = reader.path()
            guard known.count == size, let start = known.baseAddress else { return false }
            return memcmp(start, data, size) == 0
        }
    }
}
