import OverlayKit

/// A folder in memory, which is granted during `sync_source`, and the overlay's state for it.
///
///     host.source.put("notes.txt", Array("What to read.".utf8))
///     host.source.failsAt = 3
public struct MemorySource {
    /// The files by their paths in the folder.
    public private(set) var files: PathTable<[UInt8]> = [:]
    /// The previous versions of replaced files, by path.
    public internal(set) var backups: PathTable<[UInt8]> = [:]
    /// The files that were moved to the trash, by path.
    public internal(set) var trash: PathTable<[UInt8]> = [:]
    /// The overlay's state by key.
    public var state: [String: [UInt8]] = [:]
    /// Whether the running sync is a dry run, in which changes are refused.
    public var isDryRun = false
    /// The operations in order, such as `write notes.txt`.
    public var operations: [String] = []
    /// The number of the operation that fails without an effect, from 1; nil if none fails.
    public var failsAt: Int?
    /// Whether all later operations also fail, as if the program had been killed.
    public var staysBroken = false
    /// Returns the failure of an operation; nil if it succeeds.
    public var fault: (_ operation: String, _ path: String) -> OverlayStatus? = { _, _ in nil }
    /// The time of the next change, in nanoseconds since 1970.
    public var now: Int64 = 1_700_000_000_000_000_000
    private var times: PathTable<Int64> = [:]

    /// Creates an empty folder.
    public init() {}

    /// Creates or changes a file, as another program does.
    public mutating func put(_ path: String, _ bytes: [UInt8]) {
        files[path] = bytes
        now += 1_000_000_000
        times[path] = now
    }

    /// Removes a file, as another program does.
    public mutating func remove(_ path: String) {
        files.removeValue(forKey: path)
        times.removeValue(forKey: path)
    }

    /// Counts an operation. Returns a status if the operation fails.
    mutating func begin(_ operation: String, _ path: String, changes: Bool) -> OverlayStatus? {
        operations.append(path.isEmpty ? operation : "\(operation) \(path)")
        if changes, isDryRun { return .wrongState }
        if let failsAt, operations.count == failsAt || staysBroken && operations.count > failsAt {
            return .hostIO
        }
        return fault(operation, path)
    }

    /// Information about a path; nil if it does not exist.
    public func info(_ path: String) -> SourceFileInfo? {
        let name = path.names.last ?? ""
        if let bytes = files[path] {
            let time = times[path] ?? 0
            return SourceFileInfo(
                name: name, size: UInt64(bytes.count), modified: time, stamp: "\(bytes.count)-\(time)")
        }
        let isFolder = path.isEmpty || files.keys.contains { $0.below(path) != nil }
        return isFolder ? SourceFileInfo(name: name, kind: .folder) : nil
    }

    /// The entries of a folder, sorted by the bytes of their names; nil if it does not exist.
    func list(_ folder: String) -> [SourceFileInfo]? {
        guard info(folder)?.kind == .folder else { return nil }
        var names: Set<String> = []
        for path in files.keys {
            guard let rest = folder.isEmpty ? path : path.below(folder), let name = rest.names.first else {
                continue
            }
            names.insert(name)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.compactMap {
            info(folder.isEmpty ? $0 : "\(folder)/\($0)")
        }
    }

    /// The reason why a file must not be replaced; nil if it may be.
    func obstacle(_ path: String, expected: String?) -> OverlayStatus? {
        if let wrong = Self.obstacle(path) { return wrong }
        return info(path)?.stamp == expected && info(path)?.kind != .folder ? nil : .changed
    }

    /// The reason why a text is not a valid path; nil if it is valid.
    static func obstacle(_ path: String) -> OverlayStatus? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
        return path.isEmpty || isPlain ? nil : .invalidArgument
    }

    /// Replaces a file, and keeps the previous one as its backup.
    mutating func replace(_ path: String, _ bytes: [UInt8]) {
        if let former = files[path] { backups[path] = former }
        put(path, bytes)
    }

    /// Moves a file to the trash.
    mutating func discard(_ path: String) {
        trash[path] = files[path]
        remove(path)
    }
}
