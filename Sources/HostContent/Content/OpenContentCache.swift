import HostErrors

/// A cache of the files that the running method reads parts of, so that the directory of an archive is read once.
///
/// Only the device thread uses it. A few are kept, and the one that was not used for longest goes first.
package final class OpenContentCache {
    private static let most = 4
    private var opened: [(request: SourceRequest, content: OpenContent)] = []

    /// A cache with nothing in it.
    package init() {}

    /// The content of a request, opened unless it is open already.
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

    /// Closes everything.
    package func clear() {
        for entry in opened { entry.content.close() }
        opened = []
    }

    deinit { clear() }
}
