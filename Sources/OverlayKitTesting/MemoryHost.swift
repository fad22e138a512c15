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
public final class MemoryHost {
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
    /// Files kept on the host, by area and key.
    public var stored: [String: [UInt8]] = [:]
    /// False: a host without the storage service.
    public var hasStorage = true
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
    private var nextFile: UInt64 = 1
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
        add(OVL_SERVICE_SNIFF, Self.makeSniff(context))
        add(OVL_SERVICE_METADATA, Self.makeMetadata(context))
    }

    private func add<Table>(_ name: String, _ table: Table) {
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
            return host.tables[name].map { UnsafeRawPointer($0) }
        }
        return host
    }

    /// The services as an overlay sees them.
    public func services() throws -> HostServices { try HostServices(record()) }

    // MARK: - The device

    /// Puts a file below `/Documents`, and makes its folders.
    public func put(_ path: String, _ content: String, created: Int64? = nil) {
        put(path, Array(content.utf8), created: created)
    }

    /// The same with bytes.
    public func put(_ path: String, _ bytes: [UInt8], created: Int64? = nil) {
        let path = "/Documents/" + path
        makeFolders(of: path)
        now += 1_000_000_000
        files[path] = File(bytes: bytes, modified: now, created: created ?? now)
    }

    /// Moves a file as an app does: its time stays.
    public func move(_ path: String, to newPath: String) {
        guard let file = files.removeValue(forKey: "/Documents/" + path) else { return }
        makeFolders(of: "/Documents/" + newPath)
        files["/Documents/" + newPath] = file
    }

    /// The content of a file below `/Documents`.
    public func content(_ path: String) -> String? {
        files["/Documents/" + path].map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// All files below `/Documents`, sorted.
    public var documents: [String] { files.keys.compactMap { $0.below("/Documents") }.sorted() }

    /// Makes the folders above a path.
    public func makeFolders(of path: String) {
        var parts = path.names.dropLast()
        while !parts.isEmpty {
            folders.insert("/" + parts.joined(separator: "/"))
            parts.removeLast()
        }
    }

    /// Lends a file of the host.
    public func lend(_ name: String, _ content: String) -> HostFile { lend(name, Array(content.utf8)) }

    /// The same with bytes.
    public func lend(_ name: String, _ bytes: [UInt8]) -> HostFile {
        lent[nextFile] = (name, bytes)
        defer { nextFile += 1 }
        return HostFile(rawValue: nextFile)
    }

    /// An item to upload.
    public func item(
        _ name: String, _ content: String, title: String? = nil, authors: [String]? = nil,
        collections: [String]? = nil
    ) -> UploadItem {
        // As a host makes it of a book without an id of its own: of the content.
        let digest = content.utf8.reduce(into: UInt64(5381)) { $0 = $0 &* 33 &+ UInt64($1) }
        return UploadItem(
            file: lend(name, content), name: name,
            book: Book(
                uuid: "uuid-of-\(digest)", title: title, authors: authors,
                collections: collections, contentID: "content-\(digest)"))
    }

    /// Forgets what was counted.
    public func resetCounts() { (operations, calls, bytesRead) = ([], 0, 0) }

    /// Marks all methods up to now as ended, even those that left something on the device.
    public func endMethods() {
        isCancelled = false
        before = { _, _ in }
        ended.formUnion((0...named).map { "call-\($0)" })
    }

    // MARK: - Used by the tables

    static func from(_ context: UnsafeMutableRawPointer) -> MemoryHost {
        Unmanaged<MemoryHost>.fromOpaque(context).takeUnretainedValue()
    }

    /// Counts an operation, and says why it fails if it does.
    ///
    /// Claims are a matter of their own: what tests count and break is what happens to books.
    func begin(_ operation: String, _ path: String) -> OverlayStatus? {
        if Self.isClaim(path) { return claimFault(operation) ?? hearCancel() }
        operations.append(path.isEmpty ? operation : "\(operation) \(path)")
        before(operation, path)
        return hearCancel() ?? fault(operation, path)
    }

    /// The answer to a change, which the device has made or refused.
    func end(_ operation: String, _ path: String, _ status: OverlayStatus? = nil) -> OverlayStatus? {
        guard Self.isClaim(path) else { return status }
        claimChanged(operation)
        return hearCancel() ?? status
    }

    private func hearCancel() -> OverlayStatus? {
        defer { hasHeardCancel = isCancelled }
        return isCancelled && !(hasGrace && hasHeardCancel) ? .cancelled : nil
    }

    private static func isClaim(_ path: String) -> Bool { path.contains("/.overlayhost-claim") }

    func info(_ path: String) -> FileInfo? {
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

    func range(_ path: String, _ offset: UInt64, _ length: UInt64) -> [UInt8]? {
        guard let bytes = files[path]?.bytes else { return nil }
        let part = slice(bytes, offset, length)
        if !Self.isClaim(path) { bytesRead += part.count }
        return part
    }
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
