import BibTeX
import JSON
import Platform

/// The state that both sides agreed on in the last run, and work that it left unfinished. Only changes are written.
struct AgreedState {
    /// The libraries by their names.
    private(set) var libraries: [String: LibraryRecord] = [:]
    /// The name of this host's state, by which the device distinguishes hosts.
    let identity: String
    /// How many runs have changed something.
    private(set) var generation: Int64

    /// Whether this run changed something.
    private var hasChanged = false

    /// The keys of the state at the beginning of the run.
    private let keys: [String]
    private let store: any BibliographyState
    private let marks: any BibliographyState
    private var shards: [String: [String: PaperRecord]] = [:]
    private var mark: [String: String]?
    /// Whether the device knows this host. After the app was erased or reinstalled, it does not.
    var isKnownToDevice: Bool { mark != nil }
    /// Whether the state is on disk; a dry run does not write it.
    private var isStored: Bool

    private static let indexKey = "libraries"

    /// Reads the stored state.
    init(_ sides: BibliographySides, newIdentity: () -> String) throws(BibliographySyncError) {
        store = sides.state
        marks = sides.marks
        keys = try store.keys()
        let index = try Self.object(Self.indexKey, in: store)
        isStored = index != nil
        identity = index?["id"]?.string ?? newIdentity()
        generation = index?["generation"]?.integer ?? 0
        for value in index?["libraries"]?.elements ?? [] {
            if let record = LibraryRecord(value) { libraries[record.name] = record }
        }
        guard isStored, let known = try Self.mark("host-\(identity)", in: marks) else { return }
        var mark: [String: String] = [:]
        for member in known["bases"]?.object?.members ?? [] { mark[member.name] = member.value.string }
        self.mark = mark
    }

    // MARK: libraries

    /// The newest agreed state that the device still names. Nil if there is none, for example after the device or the
    /// host was erased.
    ///
    /// - Parameter isUntouched: whether the device's file is the one that the last run left, which is equally good
    ///   evidence.
    func base(_ record: LibraryRecord, isUntouched: Bool) throws(BibliographySyncError) -> [UInt8]? {
        let named = mark?[record.name]
        guard
            let digest = record.bases.first(where: { $0 == named })
                ?? (isUntouched ? record.bases.first : nil)
        else { return nil }
        return try bytes(Self.key(record, digest), digest)
    }

    /// The device's file as the last run left it; nil unless it was passed to `commit`.
    func sent(_ record: LibraryRecord) throws(BibliographySyncError) -> [UInt8]? {
        try bytes(Self.key(record, record.deviceDigest), record.deviceDigest)
    }

    /// The key of an agreed state, or of the device's file if it has another text.
    private static func key(_ record: LibraryRecord, _ digest: String) -> String {
        "base-\(record.id)-\(digest.prefix(16))"
    }

    /// The value of a key, if it has the expected digest.
    func bytes(_ key: String, _ digest: String) throws(BibliographySyncError) -> [UInt8]? {
        guard let bytes = try store.get(key), ContentDigest.text(bytes) == digest else { return nil }
        return bytes
    }

    /// Records a library that both sides have. The order of the steps makes an interruption between any two of them
    /// harmless.
    ///
    /// - Parameter record: the agreed record, with the digest of `sent`.
    /// - Parameter base: the agreed state.
    /// - Parameter sent: the device's file; nil if it can be derived from `base`.
    mutating func commit(
        _ record: LibraryRecord, base: [UInt8], sent: [UInt8]?
    ) throws(BibliographySyncError) {
        let digest = ContentDigest.text(base)
        let former = libraries[record.name]
        var record = record
        record.bases = [digest] + (former?.bases ?? []).filter { $0 != digest }
        record.bases = Array(record.bases.prefix(3))
        if former?.bases.first != digest {
            try store.put(Self.key(record, digest), base)
        }
        let sentKey = Self.key(record, record.deviceDigest)
        if let sent, record.deviceDigest != digest, !keys.contains(sentKey) { try store.put(sentKey, sent) }
        if mark?[record.name] != digest {
            var new = mark ?? [:]
            new[record.name] = digest
            try put(mark: new)
        }
        if former != record {
            libraries[record.name] = record
            try putIndex()
        }
    }

    /// Removes the record of a library that neither side has.
    mutating func forget(_ name: String) throws(BibliographySyncError) {
        guard libraries.removeValue(forKey: name) != nil else { return }
        if var new = mark, new.removeValue(forKey: name) != nil { try put(mark: new) }
        try putIndex()
    }

    private mutating func put(mark new: [String: String]) throws(BibliographySyncError) {
        var bases = JSONObject()
        for (name, digest) in new.sorted(by: { $0.key < $1.key }) { bases[name] = .string(digest) }
        var object = JSONObject()
        object["generation"] = .integer(generation)
        object["bases"] = .object(bases)
        try marks.put("host-\(identity)", Array(JSONValue.object(object).text().utf8))
        mark = new
    }

    private mutating func putIndex() throws(BibliographySyncError) {
        var object = JSONObject()
        object["id"] = .string(identity)
        object["generation"] = .integer(generation)
        object["libraries"] = .array(libraries.sorted { $0.key < $1.key }.map(\.value.json))
        try store.put(Self.indexKey, Array(JSONValue.object(object).text().utf8))
        isStored = true
    }

    /// Marks the run as one that changes something. Only the first call in a run has an effect.
    mutating func begin() throws(BibliographySyncError) {
        guard !hasChanged else { return }
        hasChanged = true
        generation += 1
        // The device knows this host by a name, which must stay the same after an interruption.
        if !isStored { try putIndex() }
    }

    // MARK: sweeping

    /// Removes values that are no longer referenced, and texts that were deleted or damaged more than 90 days ago.
    /// Does nothing after a run without changes, unless an earlier run was interrupted.
    ///
    /// - Parameter today: the day of the run.
    func sweep(_ today: String) throws(BibliographySyncError) {
        guard hasChanged || !orphans(keys).isEmpty else { return }
        let keys = try store.keys()
        for key in orphans(keys) { try store.remove(key) }
        guard let today = BibTeXMoment(today) else { return }
        for key in keys where key.hasPrefix("deleted-") || key.hasPrefix("damaged-") {
            let day = BibTeXMoment(key.split(separator: "-").dropFirst().prefix(3).joined(separator: "-"))
            guard let day, today.seconds - day.seconds > 90 * CivilTime.secondsPerDay else { continue }
            try store.remove(key)
        }
    }

    /// The values of finished journals, and agreed states and device files that no library refers to.
    private func orphans(_ keys: [String]) -> [String] {
        let journals = Set(keys.filter { $0.hasPrefix("journal-") })
        let bases = Set(
            libraries.values.flatMap { record in
                (record.bases + [record.deviceDigest]).map { Self.key(record, $0) }
            })
        return keys.filter { key in
            if key.hasPrefix("base-") { return !bases.contains(key) }
            let parts = key.split(separator: "-")
            return parts.count == 3 && parts[0] == "journal" && !journals.contains("journal-\(parts[1])")
        }
    }

    // MARK: papers

    /// The agreed record of a paper; nil if there is none.
    mutating func paper(_ path: String) throws(BibliographySyncError) -> PaperRecord? {
        try records(Self.shard(path))[path]
    }

    /// The agreed records of papers, in order.
    mutating func papers() throws(BibliographySyncError) -> [PaperRecord] {
        for key in keys where key.hasPrefix("papers-") { _ = try records(key) }
        return shards.values.flatMap(\.values).sorted { $0.path < $1.path }
    }

    /// Stores the record of a paper; nil removes it.
    mutating func note(_ path: String, _ record: PaperRecord?) throws(BibliographySyncError) {
        let key = Self.shard(path)
        var records = try self.records(key)
        guard records[path] != record else { return }
        records[path] = record
        if records.isEmpty {
            try store.remove(key)
        } else {
            let values = records.sorted { $0.key < $1.key }.map(\.value.json)
            try store.put(key, Array(JSONValue.array(values).text().utf8))
        }
        shards[key] = records
    }

    private mutating func records(_ key: String) throws(BibliographySyncError) -> [String: PaperRecord] {
        if let known = shards[key] { return known }
        var records: [String: PaperRecord] = [:]
        if let bytes = try store.get(key) {
            for value in try Self.parsed(bytes, key).elements ?? [] {
                if let record = PaperRecord(value) { records[record.path] = record }
            }
        }
        shards[key] = records
        return records
    }

    /// Records are stored in 256 parts, so that changing one of thousands costs only a small write.
    private static func shard(_ path: String) -> String {
        "papers-" + ContentDigest.text(Array(path.utf8)).prefix(2)
    }

    // MARK: reading

    private static func object(
        _ key: String, in store: any BibliographyState
    ) throws(BibliographySyncError) -> JSONObject? {
        guard let bytes = try store.get(key) else { return nil }
        return try parsed(bytes, key).object
    }

    /// The mark on the device; nil if it is missing or unreadable, which are treated alike.
    private static func mark(
        _ key: String, in marks: any BibliographyState
    ) throws(BibliographySyncError) -> JSONObject? {
        do throws(BibliographySyncError) { return try object(key, in: marks) } catch {
            guard error.code == .damagedState else { throw error }
            return nil
        }
    }

    private static func parsed(_ bytes: [UInt8], _ key: String) throws(BibliographySyncError) -> JSONValue {
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            throw BibliographySyncError(
                .damagedState, "Cannot read the state of the last sync.", subject: key,
                hint:
                    "Remove the state of this sync; the next run then deletes nothing and merges what both sides have.",
                underlying: error)
        }
    }
}
