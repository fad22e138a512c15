import Platform

/// The folders of books in a backup. Each consists of two names, and is unique on a file system that ignores case.
package struct BackupNames {
    private var taken: Set<String> = []

    /// Reserves these folders.
    package init(_ folders: some Sequence<String> = []) {
        for folder in folders { insert(folder) }
    }

    /// Reserves the folder of a book.
    package mutating func insert(_ folder: String) { taken.insert(Self.compared(folder)) }

    /// Reserves a new folder for a book.
    ///
    /// - Parameters:
    ///   - author: a name that is valid on any file system.
    ///   - title: a title that is valid on any file system.
    ///   - isFree: whether a path is unused.
    package mutating func folder(author: String, title: String, _ isFree: (String) -> Bool) -> String {
        var number = 1
        while true {
            let folder = String(exactly: author, "/", title, number == 1 ? "" : " (\(number))")
            number += 1
            guard !taken.contains(Self.compared(folder)), isFree(folder) else { continue }
            taken.insert(Self.compared(folder))
            return folder
        }
    }

    /// The form for comparisons. Swift compares texts by canonical equivalence, as do file systems that normalize
    /// names.
    private static func compared(_ folder: String) -> String { folder.lowercased().uppercased() }

    /// Whether a text is a single name that cannot lead to another folder.
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
