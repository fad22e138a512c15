import JSON
import Platform

/// The records of the last sync between one source and one app on one device.
package struct SyncState: Hashable, Sendable {
    /// The device, app and source of a state.
    package struct Ends: Hashable, Sendable {
        /// The UDID of the device.
        package var device: String
        /// The bundle identifier of the app.
        package var app: String
        /// The folder of the source, without symbolic links.
        package var source: String

        package init(device: String, app: String, source: String) {
            (self.device, self.app, self.source) = (device, app, source)
        }
    }

    /// The device, app and source of this state.
    package let ends: Ends
    /// The kind of the source; nil before the first run.
    package var kind: SourcePlace.Kind?
    /// The records of the books by their keys.
    package var records: [ExactText: SyncRecord] = [:]
    /// The former folder of a source that was moved here since the last run, in which the records were made; nil
    /// otherwise. It is not written.
    package var former: String?
    /// Whether the source was moved here, and no sync that may remove books has been confirmed since.
    package var isMoved = false

    /// Creates the state before the first run.
    package init(_ ends: Ends) { self.ends = ends }

    package subscript(key: String) -> SyncRecord? {
        get { records[ExactText(key)] }
        set { records[ExactText(key)] = newValue }
    }
}

extension SyncState {
    /// In the first version, each digest has the names of its fields.
    private static let version: Int64 = 2

    /// Writes the state as JSON: a header, one line for each book, and an end line, so that an incomplete file is
    /// detected.
    func write(_ take: (String) -> Void) {
        var head = JSONObject()
        head["version"] = .integer(Self.version)
        head["device"] = .string(ends.device)
        head["app"] = .string(ends.app)
        head["source"] = .string(ends.source)
        head["kind"] = kind.map { .string($0.rawValue) }
        head["moved"] = isMoved ? .bool(true) : nil
        head["fields"] = .texts(MetadataDigest.FieldTable.names)
        head["count"] = .integer(Int64(records.count))
        take(JSONValue.object(head).text(.line).dropLast() + ", \"books\": [\n")
        let keys = records.keys.sorted()
        for (place, key) in keys.enumerated() {
            guard let record = records[key] else { continue }
            take(record.json.text(.line) + (place + 1 < keys.count ? ",\n" : "\n"))
        }
        take(BookLines.tail + "\n")
    }

    /// Reads the output of `write`; nil for anything else, such as an incomplete or damaged file, or a state of
    /// another source.
    ///
    /// - Parameter source: the source that the state must be about; nil for any source.
    init?(_ lines: @escaping BookLines.Lines, device: String, app: String, source: String? = nil) {
        var state: SyncState?
        var table: MetadataDigest.FieldTable?
        let isWhole = BookLines.read(lines) { head in
            guard let version = head["version"]?.integer, (1...Self.version).contains(version),
                head["device"]?.string == device,
                head["app"]?.string == app, let found = head["source"]?.string, source ?? found == found
            else { return false }
            state = SyncState(Ends(device: device, app: app, source: found))
            let fields = head["fields"]?.strings
            guard fields != nil || version == 1 else { return false }
            table = version == 1 ? nil : fields.map { MetadataDigest.FieldTable($0) }
            state?.kind = head["kind"]?.string.flatMap { SourcePlace.Kind(rawValue: $0) }
            state?.isMoved = head["moved"]?.bool ?? false
            state?.records.reserveCapacity(BookLines.expected(head))
            return true
        } book: { value in
            guard let record = SyncRecord(value, table) else { return false }
            return state?.records.updateValue(record, forKey: ExactText(record.key)) == nil
        }
        guard isWhole, let state else { return nil }
        self = state
    }
}
