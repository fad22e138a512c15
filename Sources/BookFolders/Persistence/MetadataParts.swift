import JSON
import OverlayKit
import Platform

/// The documents that store a ``MetadataCache`` on the host, each with a part of the files.
///
/// Documents stay small, regardless of the number of files, so that neither side has all of them in memory as text.
/// The hash of a file's path determines its part, and a document is written only if one of its files changed. If the
/// number of parts changes, all documents are written under new keys before the old ones are removed.
struct MetadataParts {
    private static let onlyKey = "books.json"
    private static let (keyPrefix, keyMiddle, keySuffix) = ("books-", "-of-", ".json")
    private static let version = 2
    /// The most parts that are read.
    private static let mostParts = 1024

    /// A document, given by its index in its layout.
    private struct Part: Hashable {
        var number: Int
        /// The number of parts in the layout, a power of two.
        var count: Int
    }

    /// The most files in a part on average.
    var filesPerPart = 4096
    private let storage: StorageService
    private let log: LogService
    /// The number of stored parts.
    private var count = 1
    /// The parts that differ from those stored.
    private var changed: Set<Int> = []

    /// Creates the parts without reading any document.
    init(_ storage: StorageService, log: LogService) { (self.storage, self.log) = (storage, log) }

    /// Whether a file differs from its stored entry.
    var isChanged: Bool { !changed.isEmpty }

    /// Notes that what is known about the file with this path changed.
    mutating func change(_ path: ShelfPath) { changed.insert(Self.number(of: path, count)) }

    /// Reads all files. If a document is damaged, the files before the damage are read.
    ///
    /// - Parameter early: documents that were parsed before.
    mutating func load(_ early: EarlyRecords? = nil, _ take: @escaping (CachedFile) -> Void) {
        let stored = storedLayout()
        guard let count = stored.first?.count else { return }
        self.count = count
        changed = Set(0..<count).subtracting(stored.map(\.number))
        for part in stored {
            let problem: String?
            if let parsed = early?.takeFiles(Self.key(part)) {
                parsed.files.forEach(take)
                problem = parsed.problem
            } else if let document = document(part).loadDocument() {
                problem = Self.parse(document, take)
            } else {
                changed.insert(part.number)
                continue
            }
            if let problem {
                log.debug("books", "Cannot read the cached metadata: \(problem)")
                changed.insert(part.number)
            }
        }
    }

    /// The documents in order, each with its key, until `isEnough` returns true.
    func documents(until isEnough: (_ key: String, _ document: [UInt8]) -> Bool) {
        for part in storedLayout() {
            guard let document = document(part).loadDocument() else { continue }
            if isEnough(Self.key(part), document) { return }
        }
    }

    /// Reads the files in a document. Any thread.
    ///
    /// - Returns: the reason why some of them cannot be read; nil if the document is intact.
    static func parse(_ document: [UInt8], _ take: @escaping (CachedFile) -> Void) -> String? {
        var problem: String?
        do throws(JSONSyntaxError) {
            _ = try JSONValue.parsing(document, list: nil) { entry in
                if let file = CachedFile(entry) { take(file) } else { problem = "An entry is invalid." }
            }
            return problem
        } catch {
            return "\(error)"
        }
    }

    /// Writes the parts that changed. Parts of another layout are kept: see `isUnneeded`.
    ///
    /// - Parameters:
    ///   - paths: the paths of all files.
    ///   - file: the file with a path.
    /// - Returns: whether the host has stored all of them.
    mutating func save(_ paths: [ShelfPath], file: (ShelfPath) -> CachedFile?) -> Bool {
        let needed = neededCount(paths.count)
        if needed != count { (count, changed) = (needed, Set(0..<needed)) }
        var byNumber: [Int: [ShelfPath]] = [:]
        for path in paths {
            let number = Self.number(of: path, count)
            if changed.contains(number) { byNumber[number, default: []].append(path) }
        }
        for number in changed.sorted() {
            let paths = (byNumber.removeValue(forKey: number) ?? []).sorted {
                $0.text.utf8.lexicographicallyPrecedes($1.text.utf8)
            }
            let part = Part(number: number, count: count)
            guard document(part).saveDocument(Self.text(of: paths, file)) else { return false }
            changed.remove(number)
        }
        return true
    }

    /// Whether a key in the host's storage is that of a part of another layout.
    func isUnneeded(_ key: String) -> Bool { Self.part(key).map { $0.count != count } ?? false }

    /// Whether a key in the host's storage is that of a part.
    static func isKey(_ key: String) -> Bool { part(key) != nil }

    /// The number of parts for this number of files. It changes only if parts become too large or much too small, so
    /// that adding or removing a few files does not rewrite all parts.
    private func neededCount(_ files: Int) -> Int {
        if files <= count * filesPerPart, count == 1 || files > count * filesPerPart / 4 { return count }
        var needed = 1
        while needed < Self.mostParts, files > needed * filesPerPart { needed *= 2 }
        return needed
    }

    /// The stored parts of the most complete layout. A program that was killed while it changed the number of parts may
    /// have left some documents of the new layout.
    private func storedLayout() -> [Part] {
        do throws(OverlayError) {
            let layouts = Dictionary(grouping: try storage.keys(.cache).compactMap(Self.part), by: \.count)
            return layouts.max {
                ($0.value.count == $0.key ? 1 : 0, $0.key) < ($1.value.count == $1.key ? 1 : 0, $1.key)
            }?.value ?? []
        } catch {
            // A host of an older version does not have storage.
            if error.status != .notSupported {
                log.notice("books", "Cannot read the cached metadata: \(error.message)")
            }
            return []
        }
    }

    /// The files of a part, as a JSON array.
    private static func text(of paths: [ShelfPath], _ file: (ShelfPath) -> CachedFile?) -> [UInt8] {
        var text = Array("[".utf8)
        var separator = ""
        for path in paths {
            guard let file = file(path) else { continue }
            text += separator.utf8
            text += file.json.text().utf8
            separator = ", "
        }
        text += "]".utf8
        return text
    }

    private static func number(of path: ShelfPath, _ count: Int) -> Int {
        Int(FNV1a.of(path.text.utf8) % UInt64(count))
    }

    private static func key(_ part: Part) -> String {
        part.count == 1 ? onlyKey : "\(keyPrefix)\(part.number)\(keyMiddle)\(part.count)\(keySuffix)"
    }

    /// The part with a key; nil for other keys.
    private static func part(_ key: String) -> Part? {
        if key == onlyKey { return Part(number: 0, count: 1) }
        guard key.hasPrefix(keyPrefix), key.hasSuffix(keySuffix) else { return nil }
        let numbers = key.dropFirst(keyPrefix.count).dropLast(keySuffix.count).split(separator: "-")
        guard numbers.count == 3, let number = Int(numbers[0]), let count = Int(numbers[2]),
            (2...mostParts).contains(count), (0..<count).contains(number)
        else { return nil }
        let part = Part(number: number, count: count)
        return Self.key(part) == key ? part : nil
    }

    private func document(_ part: Part) -> ListingCache {
        ListingCache(storage, log, key: Self.key(part), version: Self.version, category: "books")
    }
}
