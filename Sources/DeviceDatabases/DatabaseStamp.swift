import OverlayKit

/// What changes when an app writes to a database: sizes, times and the heads of the database, its log and its journal.
///
/// A commit changes at least one of them, unless it falls into the same tick of the device's clock as one before it:
/// * with a rollback journal the header counts every commit (but a program that keeps the database locked counts once);
/// * with a write-ahead log the log grows, or starts again with other salts in its header and its first frame; when it has
///   been taken over into the main file, that file's time tells, for the header is only written with its page.
public struct DatabaseStamp: Codable, Equatable, Sendable {
    /// Bytes of the main file, the log and the journal; nil: there is none.
    public var sizes: [UInt64?]
    /// When they changed, in nanoseconds since 1970; 0: there is none.
    public var times: [Int64]
    /// The main file's header, the log's header and that of its first frame, and the beginning of the journal.
    public var heads: [[UInt8]]

    /// The database's header has 100 bytes, the log's 32 and each of its frames 24, and a journal begins with 8 of its own
    /// (SQLite file format, sections 1.3, 3 and 4.1).
    private static let lengths: [UInt64] = [100, 56, 8]

    /// A mark by its parts, each in the order main file, log, journal.
    public init(sizes: [UInt64?], times: [Int64], heads: [[UInt8]]) {
        (self.sizes, self.times, self.heads) = (sizes, times, heads)
    }

    /// Whether there is nothing in the main file, nor in the log.
    public var isEmptied: Bool { sizes[0] == 0 && (sizes[1] ?? 0) == 0 }

    /// Whether a transaction is half way through the main file.
    ///
    /// A journal in use begins with this magic number; one that is kept for later has zeros there.
    public var hasActiveJournal: Bool { heads[2] == RollbackJournal.magic }

    /// Looks at a database of the device, and at other things in the same round trip.
    ///
    /// - Returns: the mark, with nil as its first size if the database is missing, and what is at the other paths.
    public static func take(
        _ host: HostServices, _ root: Root, _ path: String, and others: [String] = []
    ) throws(OverlayError) -> (mark: DatabaseStamp, others: [FileInfo?]) {
        let paths = ["", "-wal", "-journal"].map { path + $0 }
        var infos: [FileInfo?] = []
        for (index, result) in try host.transport.stat(root, paths + others).enumerated() {
            switch result {
            case .success(let info): infos.append(info)
            case .failure(let error):
                // Of a log that is not there iOS may also say that the place is refused.
                let isBeside = (1..<paths.count).contains(index) && error.status == .accessRefused
                guard error.status == .notFound || isBeside else { throw error }
                infos.append(nil)
            }
        }
        let files = infos.prefix(paths.count).map { $0?.kind == .regular ? $0 : nil }
        var mark = DatabaseStamp(
            sizes: files.map { $0?.size }, times: files.map { $0?.modified ?? 0 }, heads: [[], [], []])
        let present = paths.indices.filter { (mark.sizes[$0] ?? 0) > 0 }
        // So few bytes come with one answer; a shorter one only makes the next look differ.
        let requests = present.map { ReadRequest(paths[$0], length: lengths[$0], once: true) }
        for (index, head) in zip(present, try host.transport.readMany(root, requests)) {
            switch head {
            case .success(let bytes): mark.heads[index] = bytes
            case .failure(let error):
                // Gone since it was looked at; the next look will differ.
                guard error.status == .notFound else { throw error }
                mark.times[index] = .min
            }
        }
        return (mark, Array(infos.dropFirst(paths.count)))
    }
}
