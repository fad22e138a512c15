import Diagnostics
import Glibc
import Platform

/// A memory-mapped file: stored bytes are in the file even if the program crashes.
///
/// The file grows in pieces, and the file system allocates each before it is touched. So a full disk gives an error
/// here and not a signal later.
final class TraceFile: RecordBuffer, @unchecked Sendable {
    // Unchecked: as its base class.

    /// Allocates a piece of the file, given its descriptor, offset and size; returns 0 or an errno.
    typealias Allocator = @Sendable (Int32, Int, Int) -> Int32

    /// The size of the first piece in bytes. Each piece is twice as large as the one before, up to `largestPiece`.
    static let firstPiece = 1 << 20
    static let largestPiece = 64 << 20
    private static let page = 4096
    /// The bytes reserved for the end record.
    static let lastRecord = 64

    private let descriptor: Int32
    private let allocate: Allocator
    private let reserved: Int
    private var mapped = 0
    private var piece = TraceFile.firstPiece
    private var isClosed = false
    /// The errno that keeps the file from growing; 0 if it can grow.
    private(set) var problem: Int32 = 0

    static let systemAllocator: Allocator = { descriptor, place, bytes in
        while true {
            let result = posix_fallocate(descriptor, off_t(place), off_t(bytes))
            if result != EINTR { return result }
        }
    }

    /// Creates the file, replacing an earlier recording with its name. Any other file with that name is left alone.
    init(path: String, allocate: @escaping Allocator = TraceFile.systemAllocator) throws(TraceError) {
        self.allocate = allocate
        try Self.removeEarlier(path)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw TraceError.notCreated(errno)
        }
        // Reserves addresses for the whole recording, without memory, so that records never move.
        var size = 1 << 36
        var address = Self.reserve(size)
        while address == nil, size > Self.largestPiece {
            size /= 2
            address = Self.reserve(size)
        }
        reserved = size
        guard let address else {
            close(descriptor)
            unlink(path)
            throw TraceError.notCreated(ENOMEM)
        }
        super.init(base: address, capacity: 0)
        guard has(1) else {
            let problem = self.problem
            finish()
            unlink(path)
            throw TraceError.notCreated(problem)
        }
    }

    deinit { finish() }

    private static func reserve(_ size: Int) -> UnsafeMutableRawPointer? {
        let address = mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        return address == MAP_FAILED ? nil : address
    }

    /// A program that is still writing the earlier recording continues with an unnamed file.
    private static func removeEarlier(_ path: String) throws(TraceError) {
        let earlier = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard earlier >= 0 else { return }
        defer { close(earlier) }
        var status = stat()
        var mark = [UInt8](repeating: 0, count: TraceFormat.mark.count)
        guard fstat(earlier, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size == 0
                || (read(earlier, &mark, mark.count) == mark.count && mark == TraceFormat.mark)
        else {
            throw TraceError(
                .exists, "A file with this name exists and is not a recording.",
                hint: "Choose another file, or remove this one.")
        }
        unlink(path)
    }

    override func grow(_ bytes: Int) -> Bool {
        let wanted = count + bytes + Self.lastRecord - mapped
        let needed = (wanted + Self.page - 1) & ~(Self.page - 1)
        guard !isClosed, problem == 0, needed > 0 else { return false }
        for size in [max(piece, needed), needed] where mapped + size <= reserved {
            problem = allocate(descriptor, mapped, size)
            if problem == ENOSPC || problem == EDQUOT || problem == EFBIG { continue }
            guard problem == 0 else { return false }
            let address = mmap(
                base + mapped, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, off_t(mapped)
            )
            guard address != MAP_FAILED else {
                problem = errno
                return false
            }
            mapped += size
            capacity = mapped - Self.lastRecord
            piece = min(piece * 2, Self.largestPiece)
            return true
        }
        if problem == 0 { problem = EFBIG }
        return false
    }

    /// Releases the reserved bytes for the last record.
    func releaseLastRecord() {
        capacity = mapped
        isFull = false
    }

    /// Truncates the file to the written bytes. The file cannot be written afterwards.
    func finish() {
        guard !isClosed else { return }
        isClosed = true
        isFull = true
        capacity = 0
        munmap(base, reserved)
        _ = ftruncate(descriptor, off_t(count))
        close(descriptor)
    }
}
