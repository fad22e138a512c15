import JSON
import Platform

/// What is recorded of one kept content: the `.meta` file (fetcher reference, section 14.3).
struct CacheEntry: Sendable, Equatable {
    var href: String
    var namespace: String
    /// Of the content, if the server told one.
    var type: String?
    /// Whether every byte is there.
    var isComplete = false
    /// The length of the whole, if known.
    var total: Int64?
    /// The bytes that are there.
    var present = ByteIntervals()
    /// Of the body when it is complete.
    var sha256: String?
    var metadata = HTTPMetadata()
    /// What requests for this variant send in the fields that `Vary` names.
    var varyValues: [String: String] = [:]
    /// For a key whose answers vary: the names by which, in place of a content.
    var varyNames: [String]?
    /// Seconds since 1970 when it was stored or confirmed.
    var storedAt: Int64 = 0
    var isPinned = false
    /// Which file is the body: after a crash or while another process replaces it, body and record could belong to different
    /// versions.
    var bodyNumber: UInt64 = 0
    /// Bytes of the disk that the body took when this was recorded, and that are counted for it.
    var bodyBlocks: Int64 = 0

    /// How many bytes the body must at least have.
    var recordedLength: Int64 { isComplete ? total ?? 0 : present.end }

    /// The file's content: one line of JSON and one with its checksum.
    func text() -> String? {
        var object = JSONObject()
        object["href"] = .string(href)
        object["namespace"] = .string(namespace)
        object["type"] = type.map { .string($0) }
        object["complete"] = .bool(isComplete)
        object["total"] = total.map { .integer($0) }
        object["present"] = .array(
            present.intervals.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) })
        object["sha256"] = sha256.map { .string($0) }
        object["http"] = metadata.json
        var vary = JSONObject()
        for (name, value) in varyValues.sorted(by: { $0.key < $1.key }) { vary[name] = .string(value) }
        object["varyValues"] = .object(vary)
        object["varyNames"] = varyNames.map { .texts($0) }
        object["storedAt"] = .integer(storedAt)
        object["pinned"] = .bool(isPinned)
        object["bodyNumber"] = .string(String(bodyNumber))
        object["bodyBlocks"] = .integer(bodyBlocks)
        let line = JSONValue.object(object).text()
        return Digest.text(of: line, .sha256).map { line + "\n" + $0 + "\n" }
    }

    /// The entry that a file holds; nil when it is damaged.
    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty,
            Digest.text(of: String(lines[0]), .sha256) == String(lines[1])
        else {
            return nil
        }
        do throws(JSONSyntaxError) {
            guard let object = try JSONValue(parsing: String(lines[0])).object else { return nil }
            self.init(object)
        } catch {
            return nil
        }
    }

    init(href: String, namespace: String) {
        self.href = href
        self.namespace = namespace
    }

    private init?(_ object: JSONObject) {
        guard let href = object["href"]?.string, let namespace = object["namespace"]?.string,
            let metadata = HTTPMetadata(object["http"]), let storedAt = object["storedAt"]?.integer,
            let number = object["bodyNumber"]?.string.flatMap({ UInt64($0) }),
            case .array(let present)? = object["present"]
        else { return nil }
        self.init(href: href, namespace: namespace)
        for interval in present {
            guard case .array(let ends) = interval, ends.count == 2, let start = ends[0].integer,
                let end = ends[1].integer, 0 <= start, start < end
            else { return nil }
            self.present.insert(start..<end)
        }
        type = object["type"]?.string
        isComplete = object["complete"] == .bool(true)
        total = object["total"]?.integer
        if let total, total < 0 { return nil }
        if isComplete, total == nil { return nil }
        sha256 = object["sha256"]?.string
        self.metadata = metadata
        for member in object["varyValues"]?.object?.members ?? [] {
            varyValues[member.name] = member.value.string
        }
        varyNames = object["varyNames"]?.strings
        self.storedAt = storedAt
        isPinned = object["pinned"] == .bool(true)
        bodyNumber = number
        bodyBlocks = max(0, object["bodyBlocks"]?.integer ?? 0)
    }
}
