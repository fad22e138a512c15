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
    /// detected.
    package func write(_ take: (String) -> Void) {
        var head = JSONObject()
        head["version"] = .integer(Self.version)
        head["device"] = .string(device)
        head["device_name"] = deviceName.map { .string($0) }
        head["app"] = .string(app)
        head["app_name"] = .string(appName)
        head["count"] = .integer(Int64(entries.count))
        take(JSONValue.object(head).text(.line).dropLast() + ", \"books\": [\n")
        for (place, entry) in entries.enumerated() {
            take(entry.json.text(.line) + (place + 1 < entries.count ? ",\n" : "\n"))
        }
        take(BookLines.tail + "\n")
    }

    /// Reads the output of `write`; nil for anything else, such as an incomplete file.
    init?(_ lines: @escaping BookLines.Lines) {
        var manifest: BackupManifest?
        let isWhole = BookLines.read(lines) { head in
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
        guard isWhole, let manifest else { return nil }
        self = manifest
    }
}
