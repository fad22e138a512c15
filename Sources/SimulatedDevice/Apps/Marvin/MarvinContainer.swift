import FoundationEssentials
import Glibc
import Platform

/// The locations of Marvin's files inside its container.
public struct MarvinContainer: Sendable, Equatable {
    /// The container's own folder.
    public let folder: URL
    /// The version of Marvin, which determines where the covers are.
    public let version: String
    /// The location of the library, the covers and the staging folder.
    public let place: Place

    /// The location where an app that supports the protocol keeps the files that hosts need.
    public enum Place: String, Sendable, Equatable {
        /// Below `Library`, as Marvin does. Hosts need access to the whole container.
        case library
        /// Below `Documents`, the only folder of App Store apps that iOS has let hosts open since 8.3. For a
        /// hypothetical app.
        case documents
    }

    /// `version`: dotted numbers. Parts that are not numbers count as 0.
    public init(folder: URL, version: String = "2.7.1", place: Place = .library) {
        self.folder = folder
        self.version = version
        self.place = place
    }

    /// The EPUB files.
    public var documents: URL { folder.appendingPathComponent("Documents", isDirectory: true) }
    /// The folder for commands, status, and staged EPUB files.
    public var staging: URL { folder.appendingPathComponent("\(shelf)/calibre", isDirectory: true) }
    /// The library's database.
    public var database: URL { folder.appendingPathComponent("\(shelf)/mainDb.sqlite") }
    /// The folder for unfinished files, on the same file system as everything else.
    public var temporary: URL { folder.appendingPathComponent("tmp", isDirectory: true) }

    /// The covers of 180 x 270; nil for versions that keep covers in the database.
    public var smallCovers: URL? { covers("com.appstafarian.marvin.covers") }
    /// The covers of 450 x 675; nil for versions that keep covers in the database.
    public var largeCovers: URL? { covers("com.appstafarian.marvin.covers.l") }

    /// Creates the folders that exist in every installation. The cover folders are created with the first cover.
    func makeFolders() throws {
        for url in [documents, staging, temporary] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
    }

    private var shelf: String { place == .library ? "Library" : "Documents" }

    private func covers(_ name: String) -> URL? {
        guard place == .library else {
            return folder.appendingPathComponent("Documents/\(name)", isDirectory: true)
        }
        let parts = version.split(separator: ".").map { Int($0) ?? 0 }
        if parts.lexicographicallyPrecedes([2, 1]) { return nil }
        let parent =
            [2, 5, 64].lexicographicallyPrecedes(parts) ? "Library/Application Support" : "Library/Caches"
        return folder.appendingPathComponent(parent, isDirectory: true).appendingPathComponent(
            name, isDirectory: true)
    }
}

/// Writes files as the app does.
enum AppFile {
    /// Writes a new file. Unlike `Data`, it does not wait for the disk, because a simulated app need not survive a
    /// crash of the computer.
    static func write(_ bytes: some ContiguousBytes, to url: URL) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(url, errno) }
        defer { close(descriptor) }
        let problem = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        guard problem == 0 else { throw failure(url, problem) }
    }

    private static func failure(_ url: URL, _ code: Int32) -> SimulationError {
        SimulationError.system(code, "Cannot write the file", subject: url.lastPathComponent)
    }
}
