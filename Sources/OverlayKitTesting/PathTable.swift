import Foundation
import Platform

/// Values by path. Paths are compared by their bytes, as in a file system, because Swift's dictionary considers both
/// Unicode forms of a text equal.
public struct PathTable<Value>: Sequence, ExpressibleByDictionaryLiteral {
    private var entries: [[UInt8]: (key: String, value: Value)] = [:]
    /// Whether paths are stored in decomposed form and found in any form, as on HFS+. Set this while the table is
    /// empty.
    public var isDecomposing = false

    private func stored(_ path: String) -> String {
        isDecomposing ? path.decomposedStringWithCanonicalMapping : path
    }

    /// Creates a table with these values.
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

    /// The paths, unordered.
    public var keys: [String] { entries.values.map(\.key) }

    /// The values, unordered.
    public var values: [Value] { entries.values.map(\.value) }

    /// The pairs, unordered.
    public func makeIterator() -> AnyIterator<(key: String, value: Value)> {
        AnyIterator(entries.values.makeIterator())
    }
}

/// A set of paths, compared as in a ``PathTable``.
public struct PathSet: Sequence, ExpressibleByArrayLiteral, Equatable, CustomStringConvertible {
    private var paths: PathTable<Void> = [:]
    /// Whether paths are stored in decomposed form and found in any form. Set this while all paths are ASCII.
    public var isDecomposing: Bool {
        get { paths.isDecomposing }
        set { paths.isDecomposing = newValue }
    }

    /// Creates a set with these paths.
    public init(arrayLiteral elements: String...) { for path in elements { insert(path) } }

    /// Whether the set contains a path.
    public func contains(_ path: String) -> Bool { paths[path] != nil }

    /// Adds a path.
    public mutating func insert(_ path: String) { paths[path] = () }

    /// Removes a path and returns it; nil if it was not in the set.
    @discardableResult
    public mutating func remove(_ path: String) -> String? {
        paths.removeValue(forKey: path).map { path }
    }

    /// The paths, unordered.
    public func makeIterator() -> IndexingIterator<[String]> { paths.keys.makeIterator() }

    /// Whether both sets contain the same paths.
    public static func == (left: PathSet, right: PathSet) -> Bool {
        left.paths.keys.count == right.paths.keys.count && left.allSatisfy { right.contains($0) }
    }

    /// The sorted paths as text.
    public var description: String { sorted().description }
}

extension String {
    /// The components of a path.
    var names: [String] { pathNames.map { String($0) } }

    /// The path of the parent folder.
    var parent: String { "/" + names.dropLast().joined(separator: "/") }

    /// The part of a path below a folder; nil if the path is not below it.
    func below(_ folder: String) -> String? {
        guard utf8.starts(with: (folder + "/").utf8) else { return nil }
        return String(Substring(utf8.dropFirst(folder.utf8.count + 1)))
    }
}
