import FoundationEssentials
import OverlayKit
import Platform

/// A document that one listing stores on the host for the next, such as its findings about each book.
///
/// A cache can always be recreated, so it never throws. A document that is damaged, written by another version or
/// unreadable counts as missing; the log says why. The host keeps the documents of each overlay, app and device
/// separately. Use on the device thread.
///
/// ```swift
/// struct Finding: Codable { var path: String; var size: UInt64; var title: String? }
///
/// let cache = ListingCache(host, key: "findings.json", version: 1, category: "nova")
/// var findings = cache.load([Finding].self) ?? []
/// // … list the books, look into those that `findings` does not know …
/// cache.save(findings)
/// ```
///
/// The stored value is a line of JSON with the version and the SHA-256 of the document, followed by the document.
public struct ListingCache {
    private let storage: StorageService
    private let log: LogService
    private let key: String
    private let version: Int
    private let category: String

    /// Creates a document in the host's cache area, without reading it.
    ///
    /// - Parameters:
    ///   - host: the services of the running instance.
    ///   - key: the key in the host's storage.
    ///   - version: the version of the document's layout; documents of other versions count as missing.
    ///   - category: the category of its log messages.
    public init(_ host: HostServices, key: String, version: Int, category: String) {
        self.init(host.storage, host.log, key: key, version: version, category: category)
    }

    init(_ storage: StorageService, _ log: LogService, key: String, version: Int, category: String) {
        (self.storage, self.log) = (storage, log)
        (self.key, self.version, self.category) = (key, version, category)
    }

    // MARK: - Values

    /// The last saved value; nil if there is none that can be used.
    public func load<Value: Decodable>(_ type: Value.Type) -> Value? {
        guard let document = loadDocument() else { return nil }
        return decoded(document)
    }

    /// Saves a value, replacing the last one.
    ///
    /// - Returns: whether the host has saved it.
    @discardableResult
    public func save(_ value: some Encodable) -> Bool {
        guard let document = encoded(value) else { return false }
        return saveDocument(document)
    }

    // MARK: - Documents

    /// The last saved document; nil if there is none that can be used.
    public func loadDocument() -> [UInt8]? {
        do throws(OverlayError) {
            guard var bytes = try storage.read(.cache, key) else { return nil }
            if open(&bytes) { return bytes }
            log.debug(
                category, "The results of earlier listings are damaged or of another version.", ["key": key])
        } catch {
            report("Cannot read the results of earlier listings: \(error.message)", error)
        }
        return nil
    }

    /// Saves a document, replacing the last one.
    ///
    /// - Returns: whether the host has saved it.
    @discardableResult
    public func saveDocument(_ document: consuming [UInt8]) -> Bool {
        // A document may be large, so the header is kept in separate memory.
        guard let header = header(of: document[...]) else { return false }
        document.insert(contentsOf: header, at: 0)
        do throws(OverlayError) {
            try storage.write(.cache, key, document)
            return true
        } catch {
            report("Cannot save the results for the next listing: \(error.message)", error)
            return false
        }
    }

    /// A host of an older version does not have storage; that is not a failure.
    private func report(_ message: String, _ error: OverlayError) {
        if error.status == .notSupported {
            log.debug(category, message, ["key": key])
        } else {
            log.notice(category, message, ["key": key])
        }
    }

    // MARK: - Copies elsewhere

    /// The document in the stored form, for a copy elsewhere. Nil if libcrypto does not offer SHA-256.
    public func sealed(_ document: [UInt8]) -> [UInt8]? { header(of: document[...]).map { $0 + document } }

    /// The document in such a copy; nil if it is damaged or another version wrote it.
    public func opened(_ bytes: [UInt8]) -> [UInt8]? {
        var bytes = bytes
        return open(&bytes) ? bytes : nil
    }

    /// A short checksum, which detects damaged bytes but does not protect against forgery.
    public static func checksum(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.withUnsafeBytes { Digest.of($0, .sha256) }.map { Hex.text($0.prefix(8)) }
    }

    private func encoded(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return [UInt8](try encoder.encode(value))
        } catch {
            log.debug(category, "Cannot encode the results for the next listing: \(error)", ["key": key])
            return nil
        }
    }

    private func decoded<Value: Decodable>(_ document: [UInt8]) -> Value? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return try decoder.decode(Value.self, from: Data(document))
        } catch {
            log.debug(category, "The results of earlier listings are damaged: \(error)", ["key": key])
            return nil
        }
    }

    /// Removes the header of a copy in place; false if it is damaged or another version wrote it.
    private func open(_ bytes: inout [UInt8]) -> Bool {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let header = header(of: bytes[(end + 1)...]),
            bytes.starts(with: header)
        else { return false }
        bytes.removeSubrange(...end)
        return true
    }

    /// Nil if libcrypto does not offer SHA-256.
    private func header(of document: ArraySlice<UInt8>) -> [UInt8]? {
        guard let digest = document.withUnsafeBytes({ Digest.of($0, .sha256) }) else { return nil }
        return Array("{\"sha256\":\"\(Hex.text(digest))\",\"version\":\(version)}\n".utf8)
    }
}
