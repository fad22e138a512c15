import HostErrors

/// Keeps the files that the running method reads in parts, so that the directory of an archive is read only once.
///
/// For use by the device thread. Keeps a few files, and removes the least recently used one first.
package final class OpenContentCache {
    private static let most = 4
    private var opened: [(request: SourceRequest, content: OpenContent)] = []

    /// Creates an empty cache.
    package init() {}

    /// The content for a request, which is opened if it is not in the cache.
    package func content(
        _ request: SourceRequest, _ open: () throws(HostError) -> OpenContent
    ) throws(HostError) -> OpenContent {
        if let place = opened.firstIndex(where: { $0.request == request }) {
            let found = opened.remove(at: place)
            opened.append(found)
            return found.content
        }
        let content = try open()
        if opened.count == Self.most { opened.removeFirst().content.close() }
        opened.append((request, content))
        return content
    }

    /// Closes all contents.
    package func clear() {
        for entry in opened { entry.content.close() }
        opened = []
    }

    deinit { clear() }
}
