import JSON
import Platform

/// What was agreed last between one source and one app on one device.
package struct SyncState: Hashable, Sendable {
    /// Which ends it is about.
    package struct Ends: Hashable, Sendable {
        /// The UDID.
        package var device: String
        /// The bundle id.
        package var app: String
        /// The folder, without symbolic links.
        package var source: String

        package init(device: String, app: String, source: String) {
            (self.device, self.app, self.source) = (device, app, source)
        }
    }

    /// Which ends it is about.
    package let ends: Ends
    /// What the source was; nil before the first run.
    package var kind: SourcePlace.Kind?
    /// The books by their keys.
    package var records: [ExactText: SyncRecord] = [:]

    /// The state before the first run.
    package init(_ ends: Ends) { self.ends = ends }

    package subscript(key: String) -> SyncRecord? {
        get { records[ExactText(key)] }
        set { records[ExactText(key)] = newValue }
    }
}

extension SyncState {
    private static let version: Int64 = 1
    private static let tail = "]}"

    /// The state as JSON: a head, one book a line, and an end, so that a part of it is never taken for the whole.
    func write(_ take: (String) -> Void) {
        var head = JSONObject()
        head["version"] = .integer(Self.version)
        head["device"] = .string(ends.device)
        head["app"] = .string(ends.app)
        head["source"] = .string(ends.source)
        head["kind"] = kind.map { .string($0.rawValue) }
        head["count"] = .integer(Int64(records.count))
        take(JSONValue.object(head).text(.line).dropLast() + ", \"books\": [\n")
        let keys = records.keys.sorted()
        for (place, key) in keys.enumerated() {
            guard let record = records[key] else { continue }
            take(record.json.text(.line) + (place + 1 < keys.count ? ",\n" : "\n"))
        }
        take(Self.tail + "\n")
    }

    /// Reads what `write` wrote; nil for anything else, such as a part of it, a damaged file, or one about other ends.
    ///
    /// Line by line, so that the JSON of a large library is never in memory as a whole.
    init?(_ bytes: [UInt8], _ ends: Ends) {
        self.init(ends)
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        guard lines.popLast()?.isEmpty == true,
            lines.popLast().map({ $0.elementsEqual(Self.tail.utf8) }) == true,
            let first = lines.popFirst(), let head = Self.object(Array(first) + Array(Self.tail.utf8)),
            head["version"]?.integer == Self.version, head["device"]?.string == ends.device,
            head["app"]?.string == ends.app, head["source"]?.string == ends.source,
            head["count"]?.integer == Int64(lines.count)
        else { return nil }
        kind = head["kind"]?.string.flatMap { SourcePlace.Kind(rawValue: $0) }
        let last = lines.endIndex - 1
        for (place, line) in zip(lines.indices, lines) {
            let isLast = place == last
            guard isLast || line.last == UInt8(ascii: ","),
                let object = Self.object(Array(isLast ? line : line.dropLast())),
                let record = SyncRecord(.object(object)),
                records.updateValue(record, forKey: ExactText(record.key)) == nil
            else { return nil }
        }
    }

    /// The state of any source of an app on a device.
    init?(anyOf bytes: [UInt8], device: String, app: String) {
        let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
        guard let source = Self.object(Array(first) + Array(Self.tail.utf8))?["source"]?.string else {
            return nil
        }
        self.init(bytes, Ends(device: device, app: app, source: source))
    }

    private static func object(_ bytes: [UInt8]) -> JSONObject? {
        do throws(JSONSyntaxError) { return try JSONValue(parsing: bytes).object } catch { return nil }
    }
}
