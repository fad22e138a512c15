import Foundation

/// Where Marvin keeps what, inside its container.
public struct MarvinContainer: Sendable, Equatable {
    /// The container's own folder.
    public let folder: URL
    /// The version of Marvin, which decides where the covers are.
    public let version: String

    /// - Parameter version: dotted numbers; parts that are no numbers count as 0.
    public init(folder: URL, version: String = "2.7.1") {
        self.folder = folder
        self.version = version
    }

    /// The EPUB files.
    public var documents: URL { folder.appendingPathComponent("Documents", isDirectory: true) }
    /// Commands, status, and staged EPUB files.
    public var staging: URL { folder.appendingPathComponent("Library/calibre", isDirectory: true) }
    /// The library's database.
    public var database: URL { folder.appendingPathComponent("Library/mainDb.sqlite") }
    /// Files in the making; on the same file system as everything else.
    public var temporary: URL { folder.appendingPathComponent("tmp", isDirectory: true) }

    /// Covers of 180 x 270; nil for versions that keep covers in the database.
    public var smallCovers: URL? { covers("com.appstafarian.marvin.covers") }
    /// Covers of 450 x 675; nil for versions that keep covers in the database.
    public var largeCovers: URL? { covers("com.appstafarian.marvin.covers.l") }

    /// The folders that exist in every installation; the covers' folders appear with the first cover.
    func makeFolders() throws {
        for url in [documents, staging, temporary] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
    }

    private func covers(_ name: String) -> URL? {
        let parts = version.split(separator: ".").map { Int($0) ?? 0 }
        if parts.lexicographicallyPrecedes([2, 1]) { return nil }
        let parent =
            [2, 5, 64].lexicographicallyPrecedes(parts) ? "Library/Application Support" : "Library/Caches"
        return folder.appendingPathComponent(parent, isDirectory: true).appendingPathComponent(
            name, isDirectory: true)
    }
}
