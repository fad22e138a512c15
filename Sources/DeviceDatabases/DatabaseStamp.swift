import OverlayKit

/// The state of a database, which changes when an app writes to it: the sizes, times and heads of the database, its log
/// and its journal.
///
/// A commit changes at least one of them, unless it falls into the same tick of the device's clock as the commit before:
/// * with a rollback journal, the header counts every commit, except that a program that keeps the database locked
///   counts once;
/// * with a write-ahead log, the log grows, or starts again with other salts in its header and its first frame; after a
///   checkpoint the time of the main file changes, because its header is only written with its page.
public struct DatabaseStamp: Codable, Equatable, Sendable {
    /// The sizes of the main file, the log and the journal in bytes; nil for a file that does not exist.
    public var sizes: [UInt64?]
    /// Their modification times in nanoseconds since 1970; 0 for a file that does not exist.
    public var times: [Int64]
    /// The main file's header, the headers of the log and its first frame, and the beginning of the journal.
    public var heads: [[UInt8]]

    /// The database's header has 100 bytes, the log's 32 and each frame's 24; a journal begins with a magic number of
    /// 8 bytes (SQLite file format, sections 1.3, 3 and 4.1).
    private static let lengths: [UInt64] = [100, 56, 8]

    /// Creates a stamp of these parts, each in the order main file, log, journal.
    public init(sizes: [UInt64?], times: [Int64], heads: [[UInt8]]) {
        (self.sizes, self.times, self.heads) = (sizes, times, heads)
    }

    /// Whether both the main file and the log are empty.
    public var isEmptied: Bool { sizes[0] == 0 && (sizes[1] ?? 0) == 0 }

    /// Whether a transaction is only half written to the main file.
    ///
    /// A journal in use begins with this magic number; a journal that is only kept for later use has zeros there.
    public var hasActiveJournal: Bool { heads[2] == RollbackJournal.magic }

    /// Takes the stamp of a database on the device, and the file information of other paths in the same round trip.
    ///
    /// - Returns: the stamp, whose first size is nil if the database is missing, and the information about the other
    ///   paths.
    public static func take(
        _ host: HostServices, _ root: Root, _ path: String, and others: [String] = []
    ) throws(OverlayError) -> (mark: DatabaseStamp, others: [FileInfo?]) {
        let paths = ["", "-wal", "-journal"].map { path + $0 }
        var infos: [FileInfo?] = []
        for (index, result) in try host.transport.stat(root, paths + others).enumerated() {
            switch result {
            case .success(let info): infos.append(info)
            case .failure(let error):
                // If the log does not exist, iOS may also answer that access is refused.
                let isBeside = (1..<paths.count).contains(index) && error.status == .accessRefused
                guard error.status == .notFound || isBeside else { throw error }
                infos.append(nil)
            }
        }
        let files = infos.prefix(paths.count).map { $0?.kind == .regular ? $0 : nil }
        var mark = DatabaseStamp(
            sizes: files.map { $0?.size }, times: files.map { $0?.modified ?? 0 }, heads: [[], [], []])
        let present = paths.indices.filter { (mark.sizes[$0] ?? 0) > 0 }
        // One answer contains all of these bytes. If it is shorter, the next stamp differs.
        let requests = present.map { ReadRequest(paths[$0], length: lengths[$0], once: true) }
        for (index, head) in zip(present, try host.transport.readMany(root, requests)) {
            switch head {
            case .success(let bytes): mark.heads[index] = bytes
            case .failure(let error):
                // The file has been removed, so the next stamp will differ.
                guard error.status == .notFound else { throw error }
                mark.times[index] = .min
            }
        }
        return (mark, Array(infos.dropFirst(paths.count)))
    }
}
