import Glibc
import JSON
import Platform

/// The content of a backup of one app on one device.
package struct BackupManifest: Hashable, Sendable {
    private static let version: Int64 = 1

    /// The UDID of the device.
    package var device: String
    /// The name that the device reported last; nil if it did not report one.
    package var deviceName: String?
    /// The bundle identifier of the app.
    package var app: String
    /// The name of the app.
    package var appName: String
    /// The books, including those that are no longer on the device.
    package var entries: [BackupEntry] = []

    /// Creates the manifest for a first run.
    package init(device: String, deviceName: String?, app: String, appName: String) {
        (self.device, self.deviceName, self.app, self.appName) = (device, deviceName, app, appName)
    }

    /// Writes the manifest as JSON: a header, one line for each book, and an end line, so that an incomplete file is
    /// detected. The header has the checksum of all the rest.
    ///
    /// - Parameter descriptor: an empty file.
    /// - Returns: errno, or 0.
    package func write(to descriptor: Int32) -> Int32 {
        var head = JSONObject()
        head["version"] = .integer(Self.version)
        head["device"] = .string(device)
        head["device_name"] = deviceName.map { .string($0) }
        head["app"] = .string(app)
        head["app_name"] = .string(appName)
        head["count"] = .integer(Int64(entries.count))
        let beginning = Array(JSONValue.object(head).text(.line).utf8.dropLast())
        let ending = Array(", \"books\": [\n".utf8)
        let digest = Digest(.sha256)
        digest.add(beginning + ending)
        // The checksum is known at the end, so the header is written last.
        let start = beginning.count + ManifestChecksum.length + ending.count
        guard lseek(descriptor, off_t(start), SEEK_SET) >= 0 else { return errno }
        var pending: [UInt8] = []
        var problem: Int32 = 0
        func flush() {
            digest.add(pending)
            if problem == 0 { problem = writeAll(pending, to: descriptor) }
            pending.removeAll(keepingCapacity: true)
        }
        for (place, entry) in entries.enumerated() {
            pending += entry.json.text(.line).utf8
            pending += (place + 1 < entries.count ? ",\n" : "\n").utf8
            if pending.count >= 1 << 20 { flush() }
        }
        pending += (BookLines.tail + "\n").utf8
        flush()
        guard problem == 0, let checksum = digest.finish() else { return problem == 0 ? EIO : problem }
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { return errno }
        return writeAll(beginning + ManifestChecksum.member(checksum) + ending, to: descriptor)
    }

    /// Reads the output of `write`; nil for anything else, such as an incomplete file or one with a wrong checksum. A
    /// manifest of an earlier version has no checksum.
    init?(_ lines: @escaping BookLines.Lines) {
        var manifest: BackupManifest?
        let checksum = ManifestChecksum()
        let checkedLines: BookLines.Lines = { take in
            lines { line in
                checksum.add(line)
                return take(line)
            }
        }
        let isWhole = BookLines.read(checkedLines) { head in
            guard head["version"]?.integer == Self.version, let device = head["device"]?.string,
                let app = head["app"]?.string, let appName = head["app_name"]?.string
            else { return false }
            manifest = BackupManifest(
                device: device, deviceName: head["device_name"]?.string, app: app, appName: appName)
            manifest?.entries.reserveCapacity(BookLines.expected(head))
            return true
        } book: { value in
            guard let entry = BackupEntry(value) else { return false }
            manifest?.entries.append(entry)
            return true
        }
        guard isWhole, checksum.isRight(), let manifest else { return nil }
        self = manifest
    }
}
