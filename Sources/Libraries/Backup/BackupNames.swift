import Platform

/// The folders of books in a backup: two names, of which no two are the same on a file system that ignores case.
package struct BackupNames {
    private var taken: Set<String> = []

    package init() {}

    /// Takes a folder that a book has.
    package mutating func insert(_ folder: String) { taken.insert(Self.compared(folder)) }

    /// A folder that no book has yet.
    ///
    /// - Parameters:
    ///   - author: a name that is harmless on any file system.
    ///   - title: the same.
    ///   - isFree: whether nothing else is at such a place.
    package mutating func folder(author: String, title: String, _ isFree: (String) -> Bool) -> String {
        var number = 1
        while true {
            let folder = "\(author)/\(title)" + (number == 1 ? "" : " (\(number))")
            number += 1
            guard !taken.contains(Self.compared(folder)), isFree(folder) else { continue }
            taken.insert(Self.compared(folder))
            return folder
        }
    }

    /// Swift compares texts by canonical equivalence, as file systems that normalise names do.
    private static func compared(_ folder: String) -> String { folder.lowercased().uppercased() }

    /// Whether a text is one name that leads nowhere else.
    package static func isSafe(name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
            && !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
    }

    /// Whether a text is the folder of a book.
    package static func isSafe(folder: String) -> Bool {
        let parts = folder.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { isSafe(name: String($0) ?? "") }
    }
}
