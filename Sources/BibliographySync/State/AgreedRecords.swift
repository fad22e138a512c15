import BibTeX
import JSON
import Platform

/// The record of the agreed state of a bibliography.
struct LibraryRecord: Equatable {
    /// Its name on both sides.
    let name: String
    /// The identifier in the keys of its values in the state.
    let id: String
    /// The host's file as the last run left it.
    var hostStamp: String
    /// The device's file as the last run left it.
    var deviceStamp: String
    /// The SHA-256 of the device's file.
    var deviceDigest: String
    /// The SHA-256 of the last agreed states, newest first.
    var bases: [String] = []
    /// The encoding in which the host's file was read, if it does not name its encoding.
    var encoding: BibTeXEncoding?
    /// How many deletions are held back.
    var heldBack: Int = 0

    init(_ name: String) {
        self.name = name
        id = String(ContentDigest.text(Array(name.utf8)).prefix(16))
        hostStamp = ""
        deviceStamp = ""
        deviceDigest = ""
    }

    init?(_ value: JSONValue) {
        guard let object = value.object, let name = object["name"]?.string else { return nil }
        self.init(name)
        hostStamp = object["host"]?.string ?? ""
        deviceStamp = object["device"]?.string ?? ""
        deviceDigest = object["device_digest"]?.string ?? ""
        bases = object["bases"]?.strings ?? []
        encoding = object["encoding"]?.string.flatMap(BibTeXEncoding.init(rawValue:))
        heldBack = Int(object["held_back"]?.integer ?? 0)
    }

    var json: JSONValue {
        var object = JSONObject()
        object["name"] = .string(name)
        object["host"] = .string(hostStamp)
        object["device"] = .string(deviceStamp)
        object["device_digest"] = .string(deviceDigest)
        object["bases"] = .texts(bases)
        if let encoding { object["encoding"] = .string(encoding.rawValue) }
        if heldBack > 0 { object["held_back"] = .integer(Int64(heldBack)) }
        return .object(object)
    }
}

/// The record of the agreed state of a paper.
struct PaperRecord: Equatable {
    /// A removal that has begun.
    enum Removal: String {
        case fromHost = "host"
        case fromDevice = "device"
    }

    /// Its path in the host's folder.
    let path: String
    /// Its path on the device.
    var devicePath: String
    /// Its size in bytes.
    var size: UInt64
    /// The SHA-256 of its bytes.
    var digest: String
    /// The host's file as the last run left it.
    var hostStamp: String
    /// The device's file as the last run left it.
    var deviceStamp: String
    /// Why it is on the device.
    var priority: PaperPriority?
    /// Whether iOS may remove it at any time.
    var isPurgeable = false
    /// A removal that has begun and may not be finished.
    var removal: Removal?

    init(_ path: String, _ place: PaperPlace, _ copy: CopiedPaper, _ priority: PaperPriority?) {
        self.path = path
        devicePath = place.path
        isPurgeable = place.isPurgeable
        (size, digest) = (copy.size, copy.digest)
        (hostStamp, deviceStamp) = (copy.hostStamp, copy.deviceStamp)
        self.priority = priority
    }

    init?(_ value: JSONValue) {
        guard let object = value.object, let path = object["path"]?.string,
            let devicePath = object["device_path"]?.string, let digest = object["digest"]?.string,
            let hostStamp = object["host"]?.string, let deviceStamp = object["device"]?.string
        else { return nil }
        self.path = path
        self.devicePath = devicePath
        size = object["size"]?.string.flatMap { UInt64($0) } ?? 0
        (self.digest, self.hostStamp, self.deviceStamp) = (digest, hostStamp, deviceStamp)
        priority = object["reason"]?.integer.flatMap { Int(exactly: $0) }.flatMap(PaperPriority.init)
        isPurgeable = object["purgeable"]?.bool ?? false
        removal = object["removal"]?.string.flatMap(Removal.init)
    }

    var json: JSONValue {
        var object = JSONObject()
        object["path"] = .string(path)
        object["device_path"] = .string(devicePath)
        object["size"] = .string(String(size))
        object["digest"] = .string(digest)
        object["host"] = .string(hostStamp)
        object["device"] = .string(deviceStamp)
        if let priority { object["reason"] = .integer(Int64(priority.rawValue)) }
        if isPurgeable { object["purgeable"] = .bool(true) }
        if let removal { object["removal"] = .string(removal.rawValue) }
        return .object(object)
    }
}

/// Digests to compare contents.
enum ContentDigest {
    /// The SHA-256 in hexadecimal. A run calls `check` first, because all digests would be equal if there were none.
    static func text(_ bytes: [UInt8]) -> String { Hex.text(Digest.of(bytes, .sha256) ?? []) }

    /// Throws an error if libcrypto does not provide the algorithm.
    static func check() throws(BibliographySyncError) {
        guard Digest.of([], .sha256) != nil else {
            throw BibliographySyncError(
                .failed, "Cannot compute a digest: libcrypto does not provide SHA-256.",
                hint: "Install OpenSSL's usual algorithms.")
        }
    }
}
