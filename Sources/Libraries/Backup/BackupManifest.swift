import JSON
import Platform

/// Everything that a backup has of one app on one device.
package struct BackupManifest: Hashable, Sendable {
    private static let version: Int64 = 1
    private static let tail = "]}"

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
        take(Self.tail + "\n")
    }

    /// Reads what `write` wrote, line by line; nil for anything else, such as a part of it.
    package init?(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        guard lines.popLast()?.isEmpty == true,
            lines.popLast().map({ $0.elementsEqual(Self.tail.utf8) }) == true,
            let first = lines.popFirst(), let head = Self.value(Array(first) + Array(Self.tail.utf8))?.object,
            head["version"]?.integer == Self.version, let device = head["device"]?.string,
            let app = head["app"]?.string, let appName = head["app_name"]?.string,
            head["count"]?.integer == Int64(lines.count)
        else { return nil }
        self.init(device: device, deviceName: head["device_name"]?.string, app: app, appName: appName)
        entries.reserveCapacity(lines.count)
        let last = lines.endIndex - 1
        for (place, line) in zip(lines.indices, lines) {
            guard place == last || line.last == UInt8(ascii: ","),
                let value = Self.value(Array(place == last ? line : line.dropLast())),
                let entry = BackupEntry(value)
            else { return nil }
            entries.append(entry)
        }
    }

    private static func value(_ bytes: [UInt8]) -> JSONValue? {
        do throws(JSONSyntaxError) { return try JSONValue(parsing: bytes) } catch { return nil }
    }
}
