import OverlayABI
import OverlayBridge
import OverlayKit

/// A host with a device in memory, for tests of overlays. It offers its services through the C tables of the contract. For
/// one thread.
///
///     let host = MemoryHost()
///     host.put("Emma.epub", "Title: Emma")
///     let overlay = try PaperboatOverlay(host: host.services())
///
/// The content of a file gives its metadata in lines: `Title: …`, `Author: …`, `Cover: …` with the bytes of the cover, and
/// `Cover bytes: …` with their number. Content that begins with `BROKEN` cannot be read as a book. The host counts every byte
/// and every operation on the device.
///
/// A subclass can keep the device's files elsewhere, such as in a folder that a simulated app uses too, by overriding the methods
/// of ``MemoryHost`` under "The device's files".
open class MemoryHost {
    /// A file on the device.
    public struct File {
        /// What it holds.
        public var bytes: [UInt8]
        /// Nanoseconds since 1970.
        public var modified: Int64
        /// Nanoseconds since 1970.
        public var created: Int64

        /// A file.
        public init(bytes: [UInt8], modified: Int64, created: Int64) {
            self.bytes = bytes
            self.modified = modified
            self.created = created
        }
    }

    /// The files on the device, by absolute path.
    public var files: PathTable<File> = [:]
    /// The folders on the device.
    public var folders: PathSet = ["/Documents"]
    /// When folders changed, in nanoseconds since 1970; those without an entry change all the time.
    public var folderTimes: PathTable<Int64> = [:]
    /// Symbolic links on the device.
    public var links: PathSet = []
    /// What the device and the app are.
    public var device = DeviceInfo(
        udid: "00008020-001122334455002E", name: "iPad", model: "iPad7,5", iosVersion: "17.1",
        appID: "org.example.reader", appName: "Reader", appVersion: "3.0", appFileSharing: true)
    /// What is granted.
    public var roots = [
        RootAccess(root: .container, granted: false, reason: "Refused.", hint: "Nothing helps."),
        RootAccess(root: .documents, granted: true),
    ]
    /// Free space.
    public var freeBytes: UInt64 = 1 << 40
    /// Preferences that are lists.
    public var texts: [String: [String]] = [:]
    /// Preferences that are switches.
    public var switches: [String: Bool] = [:]
    /// Preferences that are whole numbers.
    public var integers: [String: Int64] = [:]
    /// Preferences that are numbers.
    public var numbers: [String: Double] = [:]
    /// Files kept on the host, by area and key.
    public var stored: [String: [UInt8]] = [:]
    /// Keys that the overlay stored, in order.
    public var storageWrites: [String] = []
    /// False: a host without the storage service.
    public var hasStorage = true
    /// The folder that is synced, and what the overlay remembers of it.
    public var source = MemorySource()
    /// False: a host without the source service.
    public var hasSource = true
    /// Files that are lent.
    public var lent: [UInt64: (name: String, bytes: [UInt8])] = [:]
    /// Whether the running method is cancelled.
    public var isCancelled = false { didSet { hasHeardCancel = hasHeardCancel && isCancelled } }
    /// Whether a cancelled method may still use the device to clean up, as with a real host.
    public var hasGrace = false
    /// Whether the method knows about the cancel.
    var hasHeardCancel = false
    /// Methods that have ended, by their names.
    public var ended: Set<String> = []
    /// How many methods have a name.
    public var named = 0
    /// The names of methods, in order.
    public var names: [String] { (0..<named).map { "call-\($0 + 1)" } }
    /// What methods have waited for, in nanoseconds.
    public var waited: Int64 = 0
    /// Runs while a method waits.
    public var onWait: () -> Void = {}
    /// Makes an operation on a path fail.
    public var fault: (_ operation: String, _ path: String) -> OverlayStatus? = { _, _ in nil }
    /// Makes an operation on a claim fail.
    public var claimFault: (_ operation: String) -> OverlayStatus? = { _ in nil }
    /// Runs between a change of a claim and its answer, which a cancel that comes here cuts short.
    public var claimChanged: (_ operation: String) -> Void = { _ in }
    /// Runs before an operation on a path.
    public var before: (_ operation: String, _ path: String) -> Void = { _, _ in }
    /// Operations on the device in order, as `name path`.
    public var operations: [String] = []
    /// Requests that the operations would take over AFC.
    public internal(set) var requests = 0
    /// Operations on several files at once, with the number of these, in order.
    public var batches: [(operation: String, count: Int)] = []
    /// How many bytes of a file tell its format.
    public var sniffedBytes: UInt64 = 64
    /// How many bytes of a file on the device tell its metadata.
    public var metadataBytes: UInt64 = 256
    /// Bytes with which the device answers a read that does not insist on all at most.
    public var longestAnswer = UInt64.max
    /// The hint of the row with which an interrupted push reports the file it was at; nil: it reports none.
    public var interruptedPushHint: String?
    /// Calls of the transport service; a batch is one.
    public var calls = 0
    /// Bytes that were read of files on the device.
    public var bytesRead = 0
    /// What was logged.
    public var log: [String] = []
    /// The warnings among them, which a person sees.
    public var warnings: [String] = []
    /// What was reported as progress.
    public var progress: [(completed: UInt64, total: UInt64, phase: String)] = []
    /// Time of the next change on the device, in nanoseconds.
    public var now: Int64 = 1_700_000_000_000_000_000
    /// How much later each change is than the one before it, in nanoseconds.
    public var tick: Int64 = 1_000_000_000
    var nextFile: UInt64 = 1
    private var tables: [String: UnsafeMutableRawPointer] = [:]

    /// A device without books.
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

    /// Offers a service, or another table in place of its own. `table` is a table of the contract with this host as `ctx`.
    public func add<Table>(_ name: String, _ table: Table) {
        tables[name]?.deallocate()
        let place = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        place.initialize(to: table)
        tables[name] = UnsafeMutableRawPointer(place)
    }

    deinit { for table in tables.values { table.deallocate() } }

    /// The record `create` is given; valid as long as the host.
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

    /// The services as an overlay sees them.
    public func services() throws -> HostServices { try HostServices(record()) }

    // MARK: - The device's files

    /// The names in a folder; nil if it is not there.
    open func names(in folder: String) -> [String]? {
        guard folders.contains(folder) else { return nil }
        let all = files.keys + Array(folders) + Array(links)
        return all.compactMap { $0.below(folder) }.filter { !$0.utf8.contains(UInt8(ascii: "/")) }.sorted()
    }

    /// What is at a path; nil if there is nothing.
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

    /// A part of a file, shorter at its end; nil if it is not there.
    open func bytes(of path: String, _ offset: UInt64, _ length: UInt64) -> [UInt8]? {
        files[path].map { slice($0.bytes, offset, length) }
    }

    /// Writes a file, in place of one of that name; nil when that is done.
    open func write(_ bytes: [UInt8], to path: String) -> OverlayStatus? {
        guard folders.contains(path.parent) else { return .notFound }
        now += tick
        files[path] = File(bytes: bytes, modified: now, created: now)
        return nil
    }

    /// Renames a file or folder as POSIX has it: a folder replaces only an empty folder.
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

    /// Removes a file or an empty folder, or a folder with all below it; nil when that is done.
    open func remove(_ path: String, withAll isRecursive: Bool) -> OverlayStatus? {
        guard info(path) != nil else { return .notFound }
        let isEmpty = !(files.keys + Array(folders)).contains { $0.below(path) != nil }
        guard isEmpty || isRecursive else { return .deviceIO }
        removeAll(at: path)
        return nil
    }

    /// Makes a folder and those above it; nil when that is done.
    open func makeFolder(_ path: String) -> OverlayStatus? {
        makeFolders(of: path + "/x")
        return nil
    }

    // MARK: - What a subclass may change

    /// Counts an operation, and says why it fails if it does.
    ///
    /// Claims are their own matter: what tests count and break is what happens to books.
    ///
    /// - Parameters:
    ///   - operation: the function of the transport service.
    ///   - path: what it is about.
    ///   - destination: where a renamed file goes.
    open func begin(_ operation: String, _ path: String, to destination: String?) -> OverlayStatus? {
        if Self.isClaim(path) { return claimFault(operation) ?? hearCancel() }
        let path = destination.map { "\(path) \($0)" } ?? path
        operations.append(path.isEmpty ? operation : "\(operation) \(path)")
        before(operation, path)
        return hearCancel() ?? fault(operation, path)
    }

    /// The answer to a change, which the device has made or refused.
    open func end(_ operation: String, _ path: String, _ status: OverlayStatus?) -> OverlayStatus? {
        guard Self.isClaim(path) else { return status }
        claimChanged(operation)
        return hearCancel() ?? status
    }

    /// Whether a status ends an operation on many files, and not only that on one of them.
    open func endsOperation(_ status: OverlayStatus) -> Bool { status == .cancelled }

    /// What a pause of the overlay comes to; nil if it was not disturbed. The host does not really wait.
    open func wait(_ duration: Duration) -> OverlayStatus? {
        let (seconds, attoseconds) = duration.components
        waited += seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        onWait()
        return isCancelled ? .cancelled : nil
    }

    /// The overlay asks whether its method was cancelled.
    open func hearsCancel() -> Bool {
        hasHeardCancel = isCancelled
        return isCancelled
    }

    /// The overlay reports how far it is.
    open func report(_ completed: UInt64, _ total: UInt64, _ phase: String) {
        progress.append((completed, total, phase))
    }

    /// The overlay logs a message, with values that go with it.
    open func logged(_ message: String, _ values: [(key: String, value: String)], isWarning: Bool) {
        log.append(message)
        if isWarning { warnings.append(message) }
    }

    /// Why an operation on the storage fails; nil if it does not.
    open func storageFault(_ operation: String, _ key: String) -> OverlayStatus? {
        fault("storage.\(operation)", key)
    }

    /// The format of a file with this beginning.
    ///
    /// - Parameters:
    ///   - bytes: the beginning.
    ///   - byContent: whether names count for nothing.
    open func format(of bytes: [UInt8], byContent: Bool) -> SniffResult {
        var result = SniffResult(bytesRead: UInt64(min(bytes.count, 64)))
        if bytes.starts(with: "%PDF".utf8) { result.mediaType = "application/pdf" }
        let isArchive = bytes.dropFirst(30).starts(with: "mimetypeapplication/epub+zip".utf8)
        if isArchive || bytes.starts(with: "EPUB".utf8) { result.mediaType = "application/epub+zip" }
        result.round = result.mediaType == nil ? .none : .heavy
        return result
    }

    /// What a file says of its book; nil if it cannot be read as one.
    open func book(of bytes: [UInt8], at path: String) -> Book? {
        guard !bytes.starts(with: "BROKEN".utf8) else { return nil }
        return Self.book(Array(bytes.prefix(4096)), path)
    }

    // MARK: - Used by the tables

    static func from(_ context: UnsafeMutableRawPointer) -> MemoryHost {
        Unmanaged<MemoryHost>.fromOpaque(context).takeUnretainedValue()
    }

    /// Counts an operation and its requests, and says why it fails if it does.
    func begin(_ operation: String, _ path: String, cost: Int) -> OverlayStatus? {
        requests += cost
        return begin(operation, path, to: nil)
    }

    /// A part of a file, which counts as read.
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

/// A range of bytes, shorter at the end.
func slice(_ bytes: [UInt8], _ offset: UInt64, _ length: UInt64) -> [UInt8] {
    let start = min(Int(clamping: offset), bytes.count)
    return Array(bytes[start...].prefix(Int(clamping: length)))
}

/// The text behind a view; nil if it is absent or no text.
func text(_ view: UnsafePointer<ovl_text>) -> String? {
    guard case .success(let text) = Result(catching: { try view.pointee.string("text") }) else { return nil }
    return text
}

/// The status to return, with its error put first.
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
