import Foundation

/// A folder of its own for one test, gone when the last reference to it is.
public final class TemporaryFolder: Sendable {
    /// Where the folder is; symbolic links in the path to it are resolved.
    public let url: URL

    /// Makes a new empty folder.
    public init() throws {
        let url = ProcessFolder.newURL()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        self.url = url
    }

    /// The path of the folder.
    public var path: String { url.path }

    /// The path of something inside it.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            ProcessFolder.tell("left behind: \(url.path): \(error)")
        }
    }
}
