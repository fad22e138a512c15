import Foundation

/// Values by path. Paths are compared by their bytes, as in a file system: Swift's dictionary takes both Unicode forms of a
/// text for one key.
public struct PathTable<Value>: Sequence, ExpressibleByDictionaryLiteral {
    private var entries: [[UInt8]: (key: String, value: Value)] = [:]
    /// Whether paths are kept decomposed and found in either form, as on HFS+; to be set while the table is empty.
    public var isDecomposing = false

    private func stored(_ path: String) -> String {
        isDecomposing ? path.decomposedStringWithCanonicalMapping : path
    }

    /// A table of these.
    public init(dictionaryLiteral elements: (String, Value)...) {
        for (path, value) in elements { self[path] = value }
    }

    /// The value at a path.
    public subscript(_ path: String) -> Value? {
        get { entries[Array(stored(path).utf8)]?.value }
        set { entries[Array(stored(path).utf8)] = newValue.map { (stored(path), $0) } }
    }

    /// Removes and returns the value at a path.
    @discardableResult
    public mutating func removeValue(forKey path: String) -> Value? {
        entries.removeValue(forKey: Array(stored(path).utf8))?.value
    }

    /// The paths, in no order.
    public var keys: [String] { entries.values.map(\.key) }

    /// The values in no order.
    public var values: [Value] { entries.values.map(\.value) }

    /// Pairs in no order.
    public func makeIterator() -> AnyIterator<(key: String, value: Value)> {
        AnyIterator(entries.values.makeIterator())
    }
}

/// Paths, compared as those of a ``PathTable``.
public struct PathSet: Sequence, ExpressibleByArrayLiteral, Equatable, CustomStringConvertible {
    private var paths: PathTable<Void> = [:]
    /// Whether paths are kept decomposed and found in either form; to be set while all paths are ASCII.
    public var isDecomposing: Bool {
        get { paths.isDecomposing }
        set { paths.isDecomposing = newValue }
    }

    /// A set of these.
    public init(arrayLiteral elements: String...) { for path in elements { insert(path) } }

    /// Whether it holds a path.
    public func contains(_ path: String) -> Bool { paths[path] != nil }

    /// Adds a path.
    public mutating func insert(_ path: String) { paths[path] = () }

    /// Removes a path, and gives it; nil if it was not there.
    @discardableResult
    public mutating func remove(_ path: String) -> String? {
        paths.removeValue(forKey: path).map { path }
    }

    /// The paths in no order.
    public func makeIterator() -> IndexingIterator<[String]> { paths.keys.makeIterator() }

    /// Whether both hold the same.
    public static func == (left: PathSet, right: PathSet) -> Bool {
        left.paths.keys.count == right.paths.keys.count && left.allSatisfy { right.contains($0) }
    }

    /// The paths, sorted.
    public var description: String { sorted().description }
}

extension String {
    /// The names of a path, split at the byte of the slash even where a combining mark follows it.
    var names: [String] { utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) } }

    /// The path of the folder it is in.
    var parent: String { "/" + names.dropLast().joined(separator: "/") }

    /// The part of a path below a folder; nil if it is not below it.
    func below(_ folder: String) -> String? {
        guard utf8.starts(with: (folder + "/").utf8) else { return nil }
        return String(Substring(utf8.dropFirst(folder.utf8.count + 1)))
    }
}
