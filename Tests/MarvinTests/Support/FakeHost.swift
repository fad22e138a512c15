import Foundation
import OverlayABI
import OverlayBridge
import OverlayKit
import TestSupport

@testable import Marvin

/// A host whose device is a folder, behind the C tables of the contract.
///
/// It never waits: a wait moves its clock on and gives the simulated app a turn, so that a time-out of minutes is over
/// at once. For one thread.
final class FakeHost {
    /// The app's container.
    let container: URL
    /// Files of the host that were lent.
    var lent: [UInt64: URL] = [:]
    /// Requests as the AFC transport would need them: see `cost`.
    private(set) var requests = 0
    /// Names of the operations, in order.
    private(set) var operations: [String] = []
    /// Operations on several files at once, with the number of these, in order.
    var batches: [(operation: String, count: Int)] = []
    private(set) var log: [String] = []
    /// What of that were warnings, which a person sees.
    private(set) var warnings: [String] = []
    private(set) var progress: [(completed: UInt64, total: UInt64, phase: String)] = []
    var isCancelled = false
    var isGone = false
    /// Whether folders list their names decomposed, however they were written, as on HFS+.
    var listsDecomposed = false
    /// Requests that still work after a cancel.
    var grace = 0
    var freeBytes: UInt64 = 1 << 40
    var integers: [String: Int64] = [:]
    var bools: [String: Bool] = [:]
    var texts: [String: String] = [:]
    var numbers: [String: Double] = [:]
    /// The host's small files of the overlay.
    var stored: [String: [UInt8]] = [:]
    /// Keys that were written, in order.
    var storageWrites: [String] = []
    /// Makes the storage fail.
    var storageFault: OverlayStatus?
    /// What a book says of itself.
    var metadata: ([UInt8]) -> Book? = { _ in nil }
    var metadataReads = 0
    /// Whether the last sniffing left names aside.
    var sniffedByContent = false
    /// The time of day, nanoseconds since 1970; nil: the real one.
    var wallClock: Int64?
    var device = DeviceInfo(
        udid: "00008020-001122334455002E", name: "iPad", model: "iPad2,5", iosVersion: "8.1.3",
        appID: "com.appstafarian.MarvinIP", appName: "Marvin", appVersion: "2.7.1")
    var roots = [RootAccess(root: .container, granted: true), RootAccess(root: .documents, granted: true)]
    /// Makes an operation on a path fail.
    var fault: (_ operation: String, _ path: String) -> OverlayStatus? = { _, _ in nil }
    /// Runs before an operation on a path.
    var before: (_ operation: String, _ path: String) -> Void = { _, _ in }
    /// The hint of the row with which an interrupted push reports the file it was at; nil: it reports none.
    var interruptedPushHint: String?
    /// Bytes with which the device answers a single read at most.
    var longestAnswer = UInt64.max
    /// What passes on the steady clock with each report of progress.
    var timePerReport = Duration.zero
    /// Runs at each wait.
    var onWait: () -> Void = {}
    /// True to really wait, for an app that runs on a thread of its own.
    var waitsForReal = false
    /// The steady clock.
    private(set) var now = Duration.zero
    private(set) var waits: [Duration] = []
    private let folder: TemporaryFolder
    private var nextFile: UInt64 = 1
    private let logTable = UnsafeMutablePointer<ovl_log_service>.allocate(capacity: 1)
    private let prefsTable = UnsafeMutablePointer<ovl_prefs_service>.allocate(capacity: 1)
    private let progressTable = UnsafeMutablePointer<ovl_progress_service>.allocate(capacity: 1)
    private let cancelTable = UnsafeMutablePointer<ovl_cancel_service>.allocate(capacity: 1)
    private let transportTable = UnsafeMutablePointer<ovl_transport_service>.allocate(capacity: 1)
    private let sniffTable = UnsafeMutablePointer<ovl_sniff_service>.allocate(capacity: 1)
    private let fetchTable = UnsafeMutablePointer<ovl_fetch_service>.allocate(capacity: 1)
    private let metadataTable = UnsafeMutablePointer<ovl_metadata_service>.allocate(capacity: 1)
    private let storageTable = UnsafeMutablePointer<ovl_storage_service>.allocate(capacity: 1)
    private let callsTable = UnsafeMutablePointer<ovl_calls_service>.allocate(capacity: 1)
    /// Names that were given to running methods, and those of methods that have certainly ended.
    var names: [String] = []
    var ended: Set<String> = []

    init() throws {
        folder = try TemporaryFolder()
        container = folder.url.appendingPathComponent("container")
        for path in ["Documents", "Library/calibre"] {
            try FileManager.default.createDirectory(
                at: container.appendingPathComponent(path), withIntermediateDirectories: true)
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        logTable.initialize(to: Self.makeLog(context))
        prefsTable.initialize(to: Self.makePrefs(context))
        progressTable.initialize(to: Self.makeProgress(context))
        cancelTable.initialize(to: Self.makeCancel(context))
        transportTable.initialize(to: Self.makeTransport(context))
        sniffTable.initialize(to: Self.makeSniff(context))
        fetchTable.initialize(to: Self.makeFetch(context))
        metadataTable.initialize(to: Self.makeMetadata(context))
        storageTable.initialize(to: Self.makeStorage(context))
        callsTable.initialize(to: Self.makeCalls(context))
    }

    deinit {
        logTable.deallocate()
        prefsTable.deallocate()
        progressTable.deallocate()
        cancelTable.deallocate()
        transportTable.deallocate()
        sniffTable.deallocate()
        fetchTable.deallocate()
        metadataTable.deallocate()
        storageTable.deallocate()
        callsTable.deallocate()
    }

    /// The record `create` is given; valid as long as the host.
    func record() -> ovl_host {
        var host = ovl_host.sized()
        host.ctx = Unmanaged.passUnretained(self).toOpaque()
        host.abi_major = OVL_ABI_MAJOR
        host.get_service = { context, id, _ in
            guard let context, let name = attempt({ try id.pointee.string("id") }) ?? nil else { return nil }
            let host = FakeHost.from(context)
            switch name {
            case OVL_SERVICE_LOG: return UnsafeRawPointer(host.logTable)
            case OVL_SERVICE_PREFS: return UnsafeRawPointer(host.prefsTable)
            case OVL_SERVICE_PROGRESS: return UnsafeRawPointer(host.progressTable)
            case OVL_SERVICE_CANCEL: return UnsafeRawPointer(host.cancelTable)
            case OVL_SERVICE_TRANSPORT: return UnsafeRawPointer(host.transportTable)
            case OVL_SERVICE_SNIFF: return UnsafeRawPointer(host.sniffTable)
            case OVL_SERVICE_FETCH: return UnsafeRawPointer(host.fetchTable)
            case OVL_SERVICE_METADATA: return UnsafeRawPointer(host.metadataTable)
            case OVL_SERVICE_STORAGE: return UnsafeRawPointer(host.storageTable)
            case OVL_SERVICE_CALLS: return UnsafeRawPointer(host.callsTable)
            default: return nil
            }
        }
        return host
    }

    /// An overlay on this host, which is online once it was asked whether it can handle the device.
    func overlay() throws -> MarvinOverlay {
        let overlay = try MarvinOverlay(host: HostServices(record()))
        overlay.now = { [unowned self] in now }
        if wallClock != nil { overlay.wallClock = { [unowned self] in wallClock ?? 0 } }
        return overlay
    }

    /// Lends a file with that content.
    func lend(_ bytes: [UInt8], name: String = "book.epub") throws -> HostFile {
        let url = folder.url.appendingPathComponent("lent-\(nextFile)")
        try Data(bytes).write(to: url)
        lent[nextFile] = url
        defer { nextFile += 1 }
        return HostFile(rawValue: nextFile)
    }

    /// An item to upload.
    func item(_ uuid: String?, _ bytes: [UInt8]? = nil, name: String = "book.epub") throws -> UploadItem {
        UploadItem(
            file: try lend(bytes ?? ZipFixture.epub(uuid ?? "")), name: name,
            book: Book(uuid: uuid, title: name))
    }

    func resetCounts() {
        requests = 0
        operations = []
        batches = []
    }

    // MARK: - Used by the tables

    static func from(_ context: UnsafeMutableRawPointer) -> FakeHost {
        Unmanaged<FakeHost>.fromOpaque(context).takeUnretainedValue()
    }

    func url(_ path: String) -> URL { container.appendingPathComponent(path) }

    /// Counts an operation, and says why it fails if it does.
    func begin(_ operation: String, _ path: String, cost: Int) -> OverlayStatus? {
        requests += cost
        operations.append("\(operation) \(path)")
        before(operation, path)
        if isGone { return .deviceGone }
        if isCancelled {
            guard grace > 0 else { return .cancelled }
            grace -= 1
        }
        return fault(operation, path)
    }

    func wait(_ duration: Duration) -> OverlayStatus? {
        waits.append(duration)
        if !isGone, !isCancelled {
            now += duration
            if waitsForReal { poll(nil, 0, Int32((duration / .milliseconds(1)).rounded(.up))) }
            onWait()
        }
        return isGone ? .deviceGone : isCancelled ? .cancelled : nil
    }

    func record(_ message: String, isWarning: Bool) {
        log.append(message)
        if isWarning { warnings.append(message) }
    }

    func report(_ completed: UInt64, _ total: UInt64, _ phase: String) {
        progress.append((completed, total, phase))
        now += timePerReport
    }

    func keep(_ url: URL) -> UInt64 {
        lent[nextFile] = url
        defer { nextFile += 1 }
        return nextFile
    }

    func information(_ path: String) -> Result<FileInfo, OverlayStatus> {
        var value = stat()
        guard lstat(url(path).path, &value) == 0 else { return .failure(.notFound) }
        let kind: FileKind =
            switch value.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            default: .other
            }
        let time = Int64(value.st_mtim.tv_sec) * 1_000_000_000 + Int64(value.st_mtim.tv_nsec)
        return .success(
            FileInfo(
                name: url(path).lastPathComponent, kind: kind, size: UInt64(value.st_size), modified: time))
    }

    func content(_ url: URL, _ offset: UInt64, _ length: UInt64) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return attempt {
            // The handle closes the file when it goes.
            let handle = try FileHandle(forReadingFrom: url)
            try handle.seek(toOffset: offset)
            let data = try length == .max ? handle.readToEnd() : handle.read(upToCount: Int(clamping: length))
            return data.map { Array($0) } ?? []
        }
    }
}

extension OverlayStatus: Error {}
