import JSON
import Platform

/// Everything that a backup has of one app on one device.
package struct BackupManifest: Hashable, Sendable {
    private static let version: Int64 = 1

    /// The UDID of the device.
    package var device: String
    /// The name that the device had last; nil if it told none.
    package var deviceName: String?
    /// The bundle id of the app.
    package var app: String
    /// The name of the app.
    package var appName: String
    /// The books, those that are gone from the device as well.
    package var entries: [BackupEntry] = []

    /// The manifest before the first run.
    package init(device: String, deviceName: String?, app: String, appName: String) {
        (self.device, self.deviceName, self.app, self.appName) = (device, deviceName, app, appName)
    }

    /// The manifest as JSON: a head, one book a line, and an end, so that a part of it is never taken for the whole.
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

    /// Reads what `write` wrote; nil for anything else, such as a part of it.
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
