import JSON
import OverlayKit
import Platform

/// The documents that hold a ``MetadataCache`` on the host, each with a part of the files.
///
/// Documents stay small, however many files there are, so that neither side ever holds all of them as text. A file
/// belongs to the part that the hash of its path gives. The first document states how many parts there are; a document
/// is written only if one of its files changed.
struct MetadataParts {
    private static let firstKey = "books.json"
    private static let (keyPrefix, keySuffix) = ("books-", ".json")
    private static let version = 3
    /// The most parts that are read.
    private static let mostParts = 1024

    private let storage: StorageService
    private let log: LogService
    /// The most files in a part on average.
    var filesPerPart = 4096
    /// How many parts are stored.
    private var count = 1
    /// The parts that differ from those stored.
    private var changed: Set<Int> = []

    /// Nothing is read yet.
    init(_ storage: StorageService, log: LogService) { (self.storage, self.log) = (storage, log) }

    /// Whether a file differs from what is stored.
    var isChanged: Bool { !changed.isEmpty }

    /// Notes that what is known about the file with this path changed.
    mutating func change(_ path: ShelfPath) { changed.insert(Self.part(of: path, count)) }

    /// Reads all files. Of a damaged document, those before the damage are read.
    mutating func load(_ take: @escaping (CachedFile) -> Void) {
        count = load(0, take) ?? 1
        for part in 1..<count where load(part, take) == nil { changed.insert(part) }
    }

    /// Reads the files of a part.
    ///
    /// - Returns: the number of parts that it states; nil if it is missing or damaged.
    private mutating func load(_ part: Int, _ take: @escaping (CachedFile) -> Void) -> Int? {
        guard let document = document(part).loadDocument() else { return nil }
        var isDamaged = false
        do throws(JSONSyntaxError) {
            let rest = try JSONValue.parsing(document, list: "books") { entry in
                if let file = CachedFile(entry) { take(file) } else { isDamaged = true }
            }
            if isDamaged { changed.insert(part) }
            if let count = rest.object?["parts"]?.integer, (1...Int64(Self.mostParts)).contains(count) {
                return Int(count)
            }
        } catch {
            log.debug("books", "Cannot read the cached metadata: \(error)")
        }
        changed.insert(part)
        return nil
    }

    /// Writes the parts that changed.
    ///
    /// - Parameters:
    ///   - paths: the paths of all files.
    ///   - file: the file with a path.
    /// - Returns: whether the host has stored all of them.
    mutating func save(_ paths: [ShelfPath], file: (ShelfPath) -> CachedFile?) -> Bool {
        let needed = min(Self.mostParts, max(1, (paths.count + filesPerPart - 1) / filesPerPart))
        // The count grows and shrinks by factors, so that a few books more or less do not change all parts.
        let count = needed == 1 ? 1 : 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)
        if count != self.count {
            changed = Set(0..<count)
            self.count = count
        }
        var byPart: [Int: [ShelfPath]] = [:]
        for path in paths {
            let part = Self.part(of: path, count)
            if changed.contains(part) { byPart[part, default: []].append(path) }
        }
        for part in changed.sorted() {
            let paths = (byPart.removeValue(forKey: part) ?? []).sorted {
                $0.text.utf8.lexicographicallyPrecedes($1.text.utf8)
            }
            guard document(part).saveDocument(text(of: paths, file)) else { return false }
            changed.remove(part)
        }
        return true
    }

    /// Whether a key in the host's storage is that of a part that is no longer needed.
    func isUnneeded(_ key: String) -> Bool {
        guard key.hasPrefix(Self.keyPrefix), key.hasSuffix(Self.keySuffix) else { return false }
        let number = Int(key.dropFirst(Self.keyPrefix.count).dropLast(Self.keySuffix.count))
        return number.map { $0 >= count } ?? false
    }

    /// Whether a key in the host's storage is that of a part.
    static func isKey(_ key: String) -> Bool {
        key == firstKey || (key.hasPrefix(keyPrefix) && key.hasSuffix(keySuffix))
    }

    /// The files of a part, sorted by path, as JSON.
    private func text(of paths: [ShelfPath], _ file: (ShelfPath) -> CachedFile?) -> [UInt8] {
        var text = Array(#"{"parts": \#(count), "books": ["#.utf8)
        var separator = ""
        for path in paths {
            guard let file = file(path) else { continue }
            text += separator.utf8
            text += file.json.text().utf8
            separator = ", "
        }
        text += "]}".utf8
        return text
    }

    private static func part(of path: ShelfPath, _ count: Int) -> Int {
        Int(FNV1a.of(path.text.utf8) % UInt64(count))
    }

    private func document(_ part: Int) -> ListingCache {
        let key = part == 0 ? Self.firstKey : "\(Self.keyPrefix)\(part)\(Self.keySuffix)"
        return ListingCache(storage, log, key: key, version: Self.version, category: "books")
    }
}
