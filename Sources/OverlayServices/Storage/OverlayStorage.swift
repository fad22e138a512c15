import Glibc
import HostErrors
import Platform
import Preferences
import Synchronization

/// The small files of an overlay for one device and app: `<place>/<overlay>/<device>/<app>/<key>`. The files for a
/// source have their own folder in it.
///
/// Every name below the place is checked or hashed, symbolic links are not followed, and only the user may read the
/// folders. Any thread.
package final class OverlayStorage: Sendable {
    /// The kind of files.
    package enum Area: Sendable, CaseIterable {
        /// Files that may be removed at any time.
        case cache
        /// The user's data.
        case data
    }

    /// The largest size of a key in bytes (`OVL_STORAGE_KEY_LIMIT`).
    static let longestKey = 128
    /// The largest size of a value in bytes (`OVL_STORAGE_VALUE_LIMIT`).
    static let largestValue = 256 << 20
    /// The limits of an area for one overlay, device and app.
    struct Limits: Sendable {
        /// The number of keys (`OVL_STORAGE_KEYS_LIMIT`).
        var keys = 100_000
        /// The bytes of all values (`OVL_STORAGE_AREA_LIMIT`).
        var bytes: UInt64 = 1 << 30
    }

    /// The usage of an area.
    private struct Usage {
        var keys = 0
        var bytes: UInt64 = 0

        /// The usage after a value has changed from `old` to `new` bytes; nil for no value.
        func changed(from old: UInt64?, to new: UInt64?) -> Usage {
            var usage = self
            usage.keys += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
            // Other processes may have written in the meantime, so the recorded size of the old value may be too
            // large.
            usage.bytes -= min(usage.bytes, old ?? 0)
            let sum = usage.bytes.addingReportingOverflow(new ?? 0)
            usage.bytes = sum.overflow ? .max : sum.partialValue
            return usage
        }
    }

    private let place: StorageFolders
    /// Nil if libcrypto could not create a safe name.
    private let names: [String]?
    private let limits: Limits
    /// The usage of each area; unknown before the first write. Changes by other processes are not detected.
    private let usages = Mutex<[Area: Usage]>([:])

    /// Creates the storage of an overlay for a device and an app. Files are created at the first write.
    package convenience init(_ place: StorageFolders, overlay: String, udid: String, appID: String) {
        self.init(place, overlay: overlay, udid: udid, appID: appID, limits: Limits())
    }

    /// Creates the state of an overlay for a folder that it syncs with an app on a device. All of it is in
    /// ``Area/data``.
    ///
    /// - Parameters:
    ///   - state: the host's folder for states, an absolute path.
    ///   - source: the synced folder, without symbolic links.
    package convenience init(
        state: String, overlay: String, udid: String, appID: String, source: String
    ) {
        let place = StorageFolders(caches: state + "/sources", data: state + "/sources")
        self.init(place, overlay: overlay, udid: udid, appID: appID, source: source, limits: Limits())
    }

    /// Creates the storage with other limits.
    init(
        _ place: StorageFolders, overlay: String, udid: String, appID: String, source: String? = nil,
        limits: Limits
    ) {
        self.place = place
        self.limits = limits
        let texts = [overlay, UDID.plain(udid), appID] + (source.map { [$0] } ?? [])
        let names = texts.compactMap { Self.safeName($0) }
        self.names = names.count == texts.count ? names : nil
    }

    /// Whether a text is a valid key.
    package static func isKey(_ text: String) -> Bool {
        func isLetterOrDigit(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        guard let first = text.utf8.first, isLetterOrDigit(first), text.utf8.count <= longestKey else {
            return false
        }
        return text.utf8.allSatisfy { isLetterOrDigit($0) || "._-".utf8.contains($0) }
    }

    /// The text if it is a valid file name, otherwise a name made from its digest, which differs from all valid
    /// names.
    ///
    /// A cryptographic digest is used, because others choose the names of apps. Nil if libcrypto does not provide it.
    static func safeName(_ text: String) -> String? {
        isKey(text) ? text : Digest.text(of: text, .sha256).map { "=" + $0 }
    }

    // MARK: files

    /// Opens the value of a key for reading.
    func read(_ area: Area, _ key: String) throws(HostError) -> StoredValue {
        guard let folder = try openFolder(area, making: false) else { throw Self.absent(key) }
        guard let file = FileDescriptor(opening: key, in: folder.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { throw errno == ENOENT ? Self.absent(key) : Self.failed("read", key, errno) }
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG, status.st_size >= 0,
            status.st_size <= Self.largestValue
        else {
            throw HostError(
                .hostIO, "The item stored under this key does not belong to the overlay.", subject: key)
        }
        return StoredValue(file, size: UInt64(status.st_size), key: key)
    }

    /// Stores a value completely or not at all.
    func write(_ area: Area, _ key: String, _ bytes: UnsafeRawBufferPointer) throws(HostError) {
        guard let folder = try openFolder(area, making: true) else { throw Self.failed("write", key, ENOENT) }
        let (old, new) = (Self.size(folder.number, key), UInt64(bytes.count))
        try checkRoom(area, folder.number, key, from: old, to: new)
        let temporary = ".new-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let file = FileDescriptor(opening: temporary, in: folder.number, flags) else {
            throw Self.failed("write", key, errno)
        }
        var code = writeAll(bytes, to: file.number)
        // Data that cannot be recreated must also survive a power failure.
        if code == 0, area == .data, fsync(file.number) != 0 { code = errno }
        let lost = file.close()
        if code == 0 { code = lost }
        if code == 0, renameat(folder.number, temporary, folder.number, key) != 0 { code = errno }
        guard code == 0 else {
            unlinkat(folder.number, temporary, 0)
            throw Self.failed("write", key, code)
        }
        if area == .data { fsync(folder.number) }
        usages.withLock { $0[area] = $0[area]?.changed(from: old, to: new) }
    }

    /// Removes a key; does nothing if the key does not exist.
    func remove(_ area: Area, _ key: String) throws(HostError) {
        guard let folder = try openFolder(area, making: false) else { return }
        let old = Self.size(folder.number, key)
        guard unlinkat(folder.number, key, 0) == 0 else {
            if errno == ENOENT { return }
            throw Self.failed("remove", key, errno)
        }
        usages.withLock { $0[area] = $0[area]?.changed(from: old, to: nil) }
    }

    /// The keys of an area, sorted by their bytes.
    func keys(_ area: Area) throws(HostError) -> [String] {
        guard let folder = try openFolder(area, making: false) else { return [] }
        return try list(folder.number).filter { Self.isKey($0) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    // MARK: pieces

    /// Throws an error if a value would exceed a limit. At the first call, reads the folder and removes files of
    /// writers that have ended.
    private func checkRoom(
        _ area: Area, _ folder: Int32, _ key: String, from old: UInt64?, to new: UInt64
    ) throws(HostError) {
        let usage: Usage
        if let known = usages.withLock({ $0[area] }) {
            usage = known
        } else {
            usage = try measure(folder)
            usages.withLock { $0[area] = usage }
        }
        let after = usage.changed(from: old, to: new)
        guard old != nil || after.keys <= limits.keys else {
            throw HostError(
                .noSpace, "An overlay can store at most \(limits.keys) keys.", subject: key)
        }
        // A value may always become smaller, so that an area above its limit can still be changed.
        guard after.bytes <= limits.bytes || after.bytes <= usage.bytes else {
            throw HostError(
                .noSpace, "An overlay can store at most \(ByteCount.text(limits.bytes)).",
                subject: key)
        }
    }

    private func measure(_ folder: Int32) throws(HostError) -> Usage {
        var usage = Usage()
        for name in try list(folder) {
            if name.hasPrefix(".new-"), Self.isOld(folder, name) {
                unlinkat(folder, name, 0)
            } else if Self.isKey(name) {
                usage = usage.changed(from: nil, to: Self.size(folder, name) ?? 0)
            }
        }
        return usage
    }

    /// The size of the entry with this name; nil if it does not exist.
    private static func size(_ folder: Int32, _ key: String) -> UInt64? {
        var status = stat()
        guard fstatat(folder, key, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return UInt64(exactly: status.st_size) ?? 0
    }

    private static func isOld(_ folder: Int32, _ name: String) -> Bool {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
        return time(nil) - status.st_mtim.tv_sec > 3600
    }

    /// Opens the folder of an area; nil if it does not exist and `making` is false.
    private func openFolder(_ area: Area, making: Bool) throws(HostError) -> FileDescriptor? {
        guard let names else {
            throw HostError(.failed, "The storage has no name: libcrypto computes no SHA-256.")
        }
        let base = area == .cache ? place.caches : place.data
        if making, case let code = makeFolders(base, mode: 0o700), code != 0 {
            throw Self.failed("write", base, code)
        }
        let flags = O_RDONLY | O_DIRECTORY
        // The place itself belongs to the user, who may have replaced it by a link.
        var path = FileDescriptor(opening: base, flags)
        var code = errno
        for name in names {
            guard let folder = path.take() else { break }
            if making, mkdirat(folder.number, name, 0o700) != 0, errno != EEXIST {
                throw Self.failed("write", name, errno)
            }
            path = FileDescriptor(opening: name, in: folder.number, flags | O_NOFOLLOW)
            code = errno
        }
        if let folder = path { return folder }
        if code == ENOENT, !making { return nil }
        throw Self.failed(making ? "write" : "read", base, code)
    }

    private func list(_ folder: Int32) throws(HostError) -> [String] {
        guard let names = FolderListing.names(in: folder) else {
            throw Self.failed("read", place.caches, errno)
        }
        return names
    }

    private static func absent(_ key: String) -> HostError {
        HostError(.notFound, "Nothing is stored under this key.", subject: key)
    }

    static func failed(_ verb: String, _ subject: String, _ code: Int32) -> HostError {
        HostError(
            code == ENOSPC || code == EDQUOT ? .noSpace : .hostIO,
            "The overlay's storage cannot \(verb == "read" ? "be read" : "be written"): \(systemText(code)).",
            subject: subject, native: .posix(code))
    }
}

/// The folders for small files of overlays on the host.
///
/// ```swift
/// let folders = StorageFolders(.current())
/// try FileManager.default.removeItem(atPath: folders.caches)  // keeps the files in folders.data
/// ```
public struct StorageFolders: Sendable, Equatable {
    /// The folder for files that may be removed at any time.
    public var caches: String
    /// The folder for files that must be kept.
    public var data: String

    /// Creates the folders from two absolute paths.
    public init(caches: String, data: String) {
        self.caches = caches
        self.data = data
    }

    /// Uses `storage` in the cache and data folders of the XDG base directory specification.
    public init(_ paths: HostPaths) {
        self.init(caches: paths.caches + "/storage", data: paths.data + "/storage")
    }
}
