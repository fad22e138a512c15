import OverlayABI
import OverlayBridge
import OverlayKit

/// A host with a device in memory, for tests of overlays. It provides its services as the C tables of the contract.
/// For use by one thread.
///
///     let host = MemoryHost()
///     host.put("Emma.epub", "Title: Emma")
///     let overlay = try PaperboatOverlay(host: host.services())
///
/// A file contains its metadata in lines: `Title: …`, `Author: …`, `Cover: …` with the bytes of the cover, and `Cover
/// bytes: …` with their number. Content that begins with `BROKEN` cannot be read as a book. The host counts every
/// byte and every operation on the device.
///
/// A subclass can store the device's files elsewhere, such as in a folder that a simulated app also uses, by
/// overriding the methods of ``MemoryHost`` under "The device's files".
open class MemoryHost {
    /// A file on the device.
    public struct File {
        /// The content.
        public var bytes: [UInt8]
        /// The modification time in nanoseconds since 1970.
        public var modified: Int64
        /// The creation time in nanoseconds since 1970.
        public var created: Int64

        /// Creates a file.
        public init(bytes: [UInt8], modified: Int64, created: Int64) {
            self.bytes = bytes
            self.modified = modified
            self.created = created
        }
    }

    /// The files on the device by absolute path.
    public var files: PathTable<File> = [:]
    /// The folders on the device.
    public var folders: PathSet = ["/Documents"]
    /// The modification times of folders, in nanoseconds since 1970. A folder without an entry has a new time at each
    /// access.
    public var folderTimes: PathTable<Int64> = [:]
    /// Symbolic links on the device.
    public var links: PathSet = []
    /// The device and the app.
    public var device = DeviceInfo(
        udid: "00008020-001122334455002E", name: "iPad", model: "iPad7,5", iosVersion: "17.1",
        appID: "org.example.reader", appName: "Reader", appVersion: "3.0", appFileSharing: true)
    /// The roots and the access to them.
    public var roots = [
        RootAccess(root: .container, granted: false, reason: "Refused.", hint: "Nothing helps."),
        RootAccess(root: .documents, granted: true),
    ]
    /// The free space in bytes.
    public var freeBytes: UInt64 = 1 << 40
    /// Preferences that are lists.
    public var texts: [String: [String]] = [:]
    /// Preferences that are switches.
    public var switches: [String: Bool] = [:]
    /// Preferences that are integers.
    public var integers: [String: Int64] = [:]
    /// Preferences that are numbers.
    public var numbers: [String: Double] = [:]
    /// Stored files on the host, by area and key.
    public var stored: [String: [UInt8]] = [:]
    /// The keys that the overlay stored, in order.
    public var storageWrites: [String] = []
    /// Whether the host has the storage service.
    public var hasStorage = true
    /// The folder to sync, and the overlay's state for it.
    public var source = MemorySource()
    /// Whether the host has the source service.
    public var hasSource = true
    /// The lent files.
    public var lent: [UInt64: (name: String, bytes: [UInt8])] = [:]
    /// Whether the running method is cancelled.
    public var isCancelled = false { didSet { hasHeardCancel = hasHeardCancel && isCancelled } }
    /// Whether a cancelled method may still use the device to clean up, as with a real host.
    public var hasGrace = false
    /// Whether the method was told about the cancellation.
    var hasHeardCancel = false
    /// The names of methods that have ended.
    public var ended: Set<String> = []
    /// The number of methods with a name.
    public var named = 0
    /// The names of methods, in order.
    public var names: [String] { (0..<named).map { "call-\($0 + 1)" } }
    /// The total time that methods have waited, in nanoseconds.
    public var waited: Int64 = 0
    /// Called while a method waits.
    public var onWait: () -> Void = {}
    /// Lets an operation on a path fail.
    public var fault: (_ operation: String, _ path: String) -> OverlayStatus? = { _, _ in nil }
    /// Lets an operation on a claim fail.
    public var claimFault: (_ operation: String) -> OverlayStatus? = { _ in nil }
    /// Called between a change of a claim and its answer. A cancellation at this point replaces the answer.
    public var claimChanged: (_ operation: String) -> Void = { _ in }
    /// Called before an operation on a path.
    public var before: (_ operation: String, _ path: String) -> Void = { _, _ in }
    /// Operations on the device in order, as `name path`.
    public var operations: [String] = []
    /// The number of requests that the operations would need over AFC.
    public internal(set) var requests = 0
    /// The operations on several files, with the number of files, in order.
    public var batches: [(operation: String, count: Int)] = []
    /// The number of bytes of a file that are read to determine its format.
    public var sniffedBytes: UInt64 = 64
    /// The number of bytes of a file on the device that are read for its metadata.
    public var metadataBytes: UInt64 = 256
    /// The largest number of bytes in the device's answer to a read that does not require all bytes.
    public var longestAnswer = UInt64.max
    /// The hint in the row of the file at which a push is interrupted; nil to report no row.
    public var interruptedPushHint: String?
    /// The number of calls of the transport service. A batch counts as one.
    public var calls = 0
    /// The number of bytes that were read from files on the device.
    public var bytesRead = 0
    /// The logged messages.
    public var log: [String] = []
    /// The logged warnings, which users see.
    public var warnings: [String] = []
    /// The reported progress.
    public var progress: [(completed: UInt64, total: UInt64, phase: String)] = []
    /// The time of the next change on the device, in nanoseconds.
    public var now: Int64 = 1_700_000_000_000_000_000
    /// The time between two changes, in nanoseconds.
    public var tick: Int64 = 1_000_000_000
    var nextFile: UInt64 = 1
    private var tables: [String: UnsafeMutableRawPointer] = [:]

    /// Creates a device without books.
    public init() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        add(OVL_SERVICE_LOG, Self.makeLog(context))
        add(OVL_SERVICE_PREFS, Self.makePrefs(context))
        add(OVL_SERVICE_PROGRESS, Self.makeProgress(context))
        add(OVL_SERVICE_CANCEL, Self.makeCancel(context))
        add(OVL_SERVICE_CALLS, Self.makeCalls(context))
        add(OVL_SERVICE_TRANSPORT, Self.makeTransport(context))
        add(OVL_SERVICE_STORAGE, Self.makeStorage(context))
        add(OVL_SERVICE_SOURCE, Self.makeSource(context))
        add(OVL_SERVICE_SNIFF, Self.makeSniff(context))
        add(OVL_SERVICE_METADATA, Self.makeMetadata(context))
    }

    /// Adds a service, or replaces its table. `table` is a table of the contract with this host as `ctx`.
    public func add<Table>(_ name: String, _ table: Table) {
        tables[name]?.deallocate()
        let place = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        place.initialize(to: table)
        tables[name] = UnsafeMutableRawPointer(place)
    }

    deinit { for table in tables.values { table.deallocate() } }

    /// The record for `create`, valid as long as the host.
    public func record() -> ovl_host {
        var host = ovl_host.sized()
        host.ctx = Unmanaged.passUnretained(self).toOpaque()
        host.abi_major = OVL_ABI_MAJOR
        host.get_service = { context, id, _ in
            guard let context, let name = text(id) else { return nil }
            let host = MemoryHost.from(context)
            if name == OVL_SERVICE_STORAGE, !host.hasStorage { return nil }
            if name == OVL_SERVICE_SOURCE, !host.hasSource { return nil }
            return host.tables[name].map { UnsafeRawPointer($0) }
        }
        return host
    }

    /// The services for an overlay.
    public func services() throws -> HostServices { try HostServices(record()) }

    // MARK: - The device's files

    /// The names in a folder; nil if it does not exist.
    open func names(in folder: String) -> [String]? {
        guard folders.contains(folder) else { return nil }
        let all = files.keys + Array(folders) + Array(links)
        return all.compactMap { $0.below(folder) }.filter { !$0.utf8.contains(UInt8(ascii: "/")) }.sorted()
    }

    /// Information about a path; nil if it does not exist.
    open func info(_ path: String) -> FileInfo? {
        let name = path.names.last ?? ""
        if links.contains(path) { return FileInfo(name: name, kind: .link) }
        if folders.contains(path) {
            return FileInfo(
                name: name, kind: .folder, modified: folderTimes[path] ?? now, created: now)
        }
        return files[path].map {
            FileInfo(
                name: name, kind: .regular, size: UInt64($0.bytes.count), modified: $0.modified,
                created: $0.created)
        }
    }

    /// A part of a file, limited to its end; nil if it does not exist.
    open func bytes(of path: String, _ offset: UInt64, _ length: UInt64) -> [UInt8]? {
        files[path].map { slice($0.bytes, offset, length) }
    }

    /// Writes a file and replaces an existing one; nil on success.
    open func write(_ bytes: [UInt8], to path: String) -> OverlayStatus? {
        guard folders.contains(path.parent) else { return .notFound }
        now += tick
        files[path] = File(bytes: bytes, modified: now, created: now)
        return nil
    }

    /// Renames a file or folder as in POSIX: a folder only replaces an empty folder.
    @discardableResult
    open func move(from: String, to: String) -> OverlayStatus? {
        if let file = files.removeValue(forKey: from) {
            files[to] = file
            return nil
        }
        guard folders.contains(from) else { return .notFound }
        let all = files.keys + Array(folders)
        guard files[to] == nil, !all.contains(where: { $0.below(to) != nil }) else { return .deviceIO }
        for path in all where path.utf8.elementsEqual(from.utf8) || path.below(from) != nil {
            let newPath = path.below(from).map { to + "/" + $0 } ?? to
            if folders.remove(path) != nil { folders.insert(newPath) }
            if let file = files.removeValue(forKey: path) { files[newPath] = file }
        }
        return nil
    }

    /// Removes a file, an empty folder, or a folder with everything below it; nil on success.
    open func remove(_ path: String, withAll isRecursive: Bool) -> OverlayStatus? {
        guard info(path) != nil else { return .notFound }
        let isEmpty = !(files.keys + Array(folders)).contains { $0.below(path) != nil }
        guard isEmpty || isRecursive else { return .deviceIO }
        removeAll(at: path)
        return nil
    }

    /// Creates a folder and its parents; nil on success.
    open func makeFolder(_ path: String) -> OverlayStatus? {
        makeFolders(of: path + "/x")
        return nil
    }

    // MARK: - What a subclass may change

    /// Counts an operation. Returns a status if the operation fails.
    ///
    /// Claims are counted separately, because tests count and disturb operations on books.
    ///
    /// - Parameters:
    ///   - operation: the name of the function in the transport service.
    ///   - path: the path of the operation.
    ///   - destination: the new path of a renamed file.
    open func begin(_ operation: String, _ path: String, to destination: String?) -> OverlayStatus? {
        if Self.isClaim(path) { return claimFault(operation) ?? hearCancel() }
        let path = destination.map { "\(path) \($0)" } ?? path
        operations.append(path.isEmpty ? operation : "\(operation) \(path)")
        before(operation, path)
        return hearCancel() ?? fault(operation, path)
    }

    /// The answer to a change that the device has made or refused.
    open func end(_ operation: String, _ path: String, _ status: OverlayStatus?) -> OverlayStatus? {
        guard Self.isClaim(path) else { return status }
        claimChanged(operation)
        return hearCancel() ?? status
    }

    /// Whether a status ends a batch, instead of only the operation on one file.
    open func endsOperation(_ status: OverlayStatus) -> Bool { status == .cancelled }

    /// The result of a wait by the overlay; nil if it was not interrupted. The host does not actually wait.
    open func wait(_ duration: Duration) -> OverlayStatus? {
        let (seconds, attoseconds) = duration.components
        waited += seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        onWait()
        return isCancelled ? .cancelled : nil
    }

    /// Called when the overlay asks whether its method was cancelled.
    open func hearsCancel() -> Bool {
        hasHeardCancel = isCancelled
        return isCancelled
    }

    /// Called when the overlay reports its progress.
    open func report(_ completed: UInt64, _ total: UInt64, _ phase: String) {
        progress.append((completed, total, phase))
    }

    /// Called when the overlay logs a message with values.
    open func logged(_ message: String, _ values: [(key: String, value: String)], isWarning: Bool) {
        log.append(message)
        if isWarning { warnings.append(message) }
    }

    /// The failure of an operation on the storage; nil if it succeeds.
    open func storageFault(_ operation: String, _ key: String) -> OverlayStatus? {
        fault("storage.\(operation)", key)
    }

    /// The format of a file that begins with these bytes.
    ///
    /// - Parameters:
    ///   - bytes: the first bytes.
    ///   - byContent: whether names are ignored.
    open func format(of bytes: [UInt8], byContent: Bool) -> SniffResult {
        var result = SniffResult(bytesRead: UInt64(min(bytes.count, 64)))
        if bytes.starts(with: "%PDF".utf8) { result.mediaType = "application/pdf" }
        let isArchive = bytes.dropFirst(30).starts(with: "mimetypeapplication/epub+zip".utf8)
        if isArchive || bytes.starts(with: "EPUB".utf8) { result.mediaType = "application/epub+zip" }
        result.round = result.mediaType == nil ? .none : .heavy
        return result
    }

    /// The metadata of the book in a file; nil if the file cannot be read as a book.
    open func book(of bytes: [UInt8], at path: String) -> Book? {
        guard !bytes.starts(with: "BROKEN".utf8) else { return nil }
        return Self.book(Array(bytes.prefix(4096)), path)
    }

    // MARK: - Used by the tables

    static func from(_ context: UnsafeMutableRawPointer) -> MemoryHost {
        Unmanaged<MemoryHost>.fromOpaque(context).takeUnretainedValue()
    }

    /// Counts an operation and its requests. Returns a status if the operation fails.
    func begin(_ operation: String, _ path: String, cost: Int) -> OverlayStatus? {
        requests += cost
        return begin(operation, path, to: nil)
    }

    /// A part of a file, which is counted as read.
    func range(_ path: String, _ offset: UInt64, _ length: UInt64) -> [UInt8]? {
        let part = bytes(of: path, offset, length)
        if !Self.isClaim(path) { bytesRead += part?.count ?? 0 }
        return part
    }

    func beginRename(_ path: String, to destination: String) -> OverlayStatus? {
        requests += 1
        return begin("rename", path, to: destination)
    }

    private func hearCancel() -> OverlayStatus? {
        defer { hasHeardCancel = isCancelled }
        return isCancelled && !(hasGrace && hasHeardCancel) ? .cancelled : nil
    }

    private static func isClaim(_ path: String) -> Bool { path.contains("/.overlayhost-claim") }
}

/// A range of bytes, limited to the end.
func slice(_ bytes: [UInt8], _ offset: UInt64, _ length: UInt64) -> [UInt8] {
    let start = min(Int(clamping: offset), bytes.count)
    return Array(bytes[start...].prefix(Int(clamping: length)))
}

/// The text of a view; nil if it is absent or invalid.
func text(_ view: UnsafePointer<ovl_text>) -> String? {
    guard case .success(let text) = Result(catching: { try view.pointee.string("text") }) else { return nil }
    return text
}

/// The status to return. Puts its error first.
func answer(
    _ status: OverlayStatus?, _ path: String, _ error: UnsafePointer<ovl_error_sink>?
) -> ovl_status {
    guard let status else { return OVL_OK }
    if let error {
        OverlayError(status, "The device says \(status).", subject: path.isEmpty ? nil : path).put(
            into: error)
    }
    return status.rawValue
}
