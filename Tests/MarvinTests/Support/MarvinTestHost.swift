import Foundation
import OverlayABI
import OverlayKit
import OverlayKitTesting
import TestSupport

@testable import Marvin

/// A host whose device is a folder, because a simulated Marvin works on its files and database as well.
///
/// A wait advances its clock and gives the simulated app a turn, so that a time-out of minutes ends at once. For one
/// thread.
final class MarvinTestHost: MemoryHost {
    /// The app's container.
    let container: URL
    var isGone = false
    /// Whether folders list their names decomposed, however they were written, as on HFS+.
    var listsDecomposed = false
    /// The number of requests that still work after a cancel.
    var grace = 0
    /// Makes the storage fail.
    var storageFault: OverlayStatus?
    /// The metadata of a book's file.
    var metadata: ([UInt8]) -> Book? = { _ in nil }
    var metadataReads = 0
    /// Whether the last sniffing ignored names.
    var sniffedByContent = false
    /// The time of day, in nanoseconds since 1970; nil for the real time.
    var wallClock: Int64?
    /// The time that passes on the steady clock with each report of progress.
    var timePerReport = Duration.zero
    /// Whether to really wait, for an app that runs on its own thread.
    var waitsForReal = false
    /// The steady clock.
    private(set) var clock = Duration.zero
    private(set) var waits: [Duration] = []
    private let folder: TemporaryFolder

    /// A device in a folder that is removed with the host.
    init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        container = folder.url.appendingPathComponent("container")
        for path in ["Documents", "Library/calibre"] {
            try FileManager.default.createDirectory(
                at: container.appendingPathComponent(path), withIntermediateDirectories: true)
        }
        super.init()
        (sniffedBytes, metadataBytes) = (.max, .max)
        device = DeviceInfo(
            udid: "00008020-001122334455002E", name: "iPad", model: "iPad2,5", iosVersion: "8.1.3",
            appID: "com.appstafarian.MarvinIP", appName: "Marvin", appVersion: "2.7.1")
        roots = [RootAccess(root: .container, granted: true), RootAccess(root: .documents, granted: true)]
        add(OVL_SERVICE_FETCH, Self.makeFetch(Unmanaged.passUnretained(self).toOpaque()))
    }

    /// An overlay on this host, which is online after `can_handle`.
    func overlay() throws -> MarvinOverlay {
        let overlay = try MarvinOverlay(host: services())
        overlay.now = { [unowned self] in clock }
        if wallClock != nil { overlay.wallClock = { [unowned self] in wallClock ?? 0 } }
        return overlay
    }

    /// An item to upload.
    func item(_ uuid: String?, _ bytes: [UInt8]? = nil, name: String = "book.epub") throws -> UploadItem {
        UploadItem(
            file: lend("lent", bytes ?? ZipFixture.epub(uuid ?? "")), name: name,
            book: Book(uuid: uuid, title: name))
    }

    /// The cached files of the overlay by their keys.
    var cache: [String: [UInt8]] {
        get {
            let prefix = "\(OVL_STORAGE_CACHE) "
            let pairs = stored.filter { $0.key.hasPrefix(prefix) }
            return Dictionary(
                uniqueKeysWithValues: pairs.map { (String($0.key.dropFirst(prefix.count)), $0.value) })
        }
        set {
            stored = Dictionary(
                uniqueKeysWithValues: newValue.map { ("\(OVL_STORAGE_CACHE) \($0.key)", $0.value) })
        }
    }

    /// The URL of a path on the device.
    func url(_ path: String) -> URL { container.appendingPathComponent(path) }

    // MARK: - Events

    override func begin(_ operation: String, _ path: String, to destination: String?) -> OverlayStatus? {
        let path = destination ?? path
        operations.append("\(operation) \(path)")
        before(operation, path)
        if isGone { return .deviceGone }
        if isCancelled {
            guard grace > 0 else { return .cancelled }
            grace -= 1
        }
        return fault(operation, path)
    }

    override func end(_ operation: String, _ path: String, _ status: OverlayStatus?) -> OverlayStatus? {
        status
    }

    override func endsOperation(_ status: OverlayStatus) -> Bool {
        [.cancelled, .deviceGone].contains(status)
    }

    override func hearsCancel() -> Bool { isCancelled || isGone }

    override func wait(_ duration: Duration) -> OverlayStatus? {
        waits.append(duration)
        if !isGone, !isCancelled {
            clock += duration
            if waitsForReal { poll(nil, 0, Int32((duration / .milliseconds(1)).rounded(.up))) }
            onWait()
        }
        return isGone ? .deviceGone : isCancelled ? .cancelled : nil
    }

    override func report(_ completed: UInt64, _ total: UInt64, _ phase: String) {
        super.report(completed, total, phase)
        clock += timePerReport
    }

    override func logged(_ message: String, _ values: [(key: String, value: String)], isWarning: Bool) {
        let values = values.map { " \($0.key)=\($0.value)" }.joined()
        super.logged(message + values, [], isWarning: isWarning)
    }

    override func storageFault(_ operation: String, _ key: String) -> OverlayStatus? { storageFault }

    override func format(of bytes: [UInt8], byContent: Bool) -> SniffResult {
        sniffedByContent = byContent
        var result = SniffResult(bytesRead: UInt64(bytes.count))
        if bytes.starts(with: "%PDF-".utf8) {
            (result.mediaType, result.name) = ("application/pdf", "PDF document")
        } else if bytes.starts(with: [0x50, 0x4B]) {
            let isEPUB = Self.zipNames(bytes)?.contains("mimetype") ?? false
            (result.mediaType, result.name) =
                isEPUB ? ("application/epub+zip", "EPUB") : ("application/zip", "ZIP archive")
        }
        return result
    }

    override func book(of bytes: [UInt8], at path: String) -> Book? {
        metadataReads += 1
        return metadata(bytes)
    }

    // MARK: - Files

    override func names(in folder: String) -> [String]? {
        let place = url(folder).path
        guard FileManager.default.fileExists(atPath: place),
            let names = attempt({ try FileManager.default.contentsOfDirectory(atPath: place) })
        else { return nil }
        return listsDecomposed ? names.map(\.decomposedStringWithCanonicalMapping) : names
    }

    override func info(_ path: String) -> FileInfo? {
        var value = stat()
        guard lstat(url(path).path, &value) == 0 else { return nil }
        let kind: FileKind =
            switch value.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            default: .other
            }
        let time = Int64(value.st_mtim.tv_sec) * 1_000_000_000 + Int64(value.st_mtim.tv_nsec)
        return FileInfo(
            name: url(path).lastPathComponent, kind: kind, size: UInt64(value.st_size), modified: time)
    }

    override func bytes(of path: String, _ offset: UInt64, _ length: UInt64) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: url(path).path) else { return nil }
        return attempt {
            // The handle closes the file when it is released.
            let handle = try FileHandle(forReadingFrom: url(path))
            try handle.seek(toOffset: offset)
            let data = try length == .max ? handle.readToEnd() : handle.read(upToCount: Int(clamping: length))
            return data.map { Array($0) } ?? []
        }
    }

    override func write(_ bytes: [UInt8], to path: String) -> OverlayStatus? {
        status { try Data(bytes).write(to: url(path)) }
    }

    override func move(from: String, to: String) -> OverlayStatus? {
        guard rename(url(from).path, url(to).path) != 0 else { return nil }
        return errno == ENOENT ? .notFound : .deviceIO
    }

    override func remove(_ path: String, withAll isRecursive: Bool) -> OverlayStatus? {
        guard isRecursive else { return unlink(url(path).path) == 0 ? nil : .notFound }
        guard FileManager.default.fileExists(atPath: url(path).path) else { return .notFound }
        return status { try FileManager.default.removeItem(at: url(path)) }
    }

    override func makeFolder(_ path: String) -> OverlayStatus? {
        status { try FileManager.default.createDirectory(at: url(path), withIntermediateDirectories: true) }
    }

    private func status(_ body: () throws -> Void) -> OverlayStatus? {
        do {
            try body()
            return nil
        } catch {
            return .deviceIO
        }
    }
}

extension OverlayStatus: Error {}
