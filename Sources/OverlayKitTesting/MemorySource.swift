import OverlayKit

/// A folder of the person's in memory, as `sync_source` is granted one, and what the overlay remembers of it.
///
///     host.source.put("notes.txt", Array("What to read.".utf8))
///     host.source.failsAt = 3
public struct MemorySource {
    /// The files by their paths in the folder.
    public private(set) var files: PathTable<[UInt8]> = [:]
    /// The former versions of files that were replaced, by the paths of these.
    public internal(set) var backups: PathTable<[UInt8]> = [:]
    /// Files that were moved to the trash, by their paths.
    public internal(set) var trash: PathTable<[UInt8]> = [:]
    /// What the overlay remembers, by key.
    public var state: [String: [UInt8]] = [:]
    /// Whether the running sync is a dry run, in which changes are refused.
    public var isDryRun = false
    /// Operations in order, as `write notes.txt`.
    public var operations: [String] = []
    /// The number of the operation that fails, from 1; nil: none. It has no effect then.
    public var failsAt: Int?
    /// Whether all operations after that one fail, too, as when the program was killed.
    public var staysBroken = false
    /// Says why an operation fails; nil if it does not.
    public var fault: (_ operation: String, _ path: String) -> OverlayStatus? = { _, _ in nil }
    /// Time of the next change, in nanoseconds since 1970.
    public var now: Int64 = 1_700_000_000_000_000_000
    private var times: PathTable<Int64> = [:]

    /// An empty folder.
    public init() {}

    /// Makes or changes a file, as another program does.
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

    /// Counts an operation, and says why it fails if it does.
    mutating func begin(_ operation: String, _ path: String, changes: Bool) -> OverlayStatus? {
        operations.append(path.isEmpty ? operation : "\(operation) \(path)")
        if changes, isDryRun { return .wrongState }
        if let failsAt, operations.count == failsAt || staysBroken && operations.count > failsAt {
            return .hostIO
        }
        return fault(operation, path)
    }

    /// What is at a path; nil if there is nothing.
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

    /// What is in a folder, in the order of the bytes of names; nil if it is not there.
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

    /// Why a file may not be replaced; nil if it may.
    func obstacle(_ path: String, expected: String?) -> OverlayStatus? {
        if let wrong = Self.obstacle(path) { return wrong }
        return info(path)?.stamp == expected && info(path)?.kind != .folder ? nil : .changed
    }

    /// Why a path is none; nil if it is one.
    static func obstacle(_ path: String) -> OverlayStatus? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
        return path.isEmpty || isPlain ? nil : .invalidArgument
    }

    /// Puts a file in place of another, which becomes its backup.
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
