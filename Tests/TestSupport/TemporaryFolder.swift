import Foundation

/// A folder for one test, which is removed with the last reference to it.
public final class TemporaryFolder: Sendable {
    /// Its URL. Symbolic links in the path are resolved.
    public let url: URL

    /// Makes a new empty folder.
    public init() throws {
        let url = ProcessFolder.newURL()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        self.url = url
    }

    /// The path of the folder.
    public var path: String { url.path }

    /// The path of an item in it.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            ProcessFolder.report("left behind: \(url.path): \(error)")
        }
    }
}
