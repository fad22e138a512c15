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
        take(BookLines.tail + "\n")
    }

    /// Reads what `write` wrote; nil for anything else, such as a part of it, a damaged file, or one about other ends.
    ///
    /// - Parameter source: the source that it has to be about; nil for any.
    init?(_ lines: @escaping BookLines.Lines, device: String, app: String, source: String? = nil) {
        var state: SyncState?
        let isWhole = BookLines.read(lines) { head in
            guard head["version"]?.integer == Self.version, head["device"]?.string == device,
                head["app"]?.string == app, let found = head["source"]?.string, source ?? found == found
            else { return false }
            state = SyncState(Ends(device: device, app: app, source: found))
            state?.kind = head["kind"]?.string.flatMap { SourcePlace.Kind(rawValue: $0) }
            state?.records.reserveCapacity(BookLines.expected(head))
            return true
        } book: { value in
            guard let record = SyncRecord(value) else { return false }
            return state?.records.updateValue(record, forKey: ExactText(record.key)) == nil
        }
        guard isWhole, let state else { return nil }
        self = state
    }
}
