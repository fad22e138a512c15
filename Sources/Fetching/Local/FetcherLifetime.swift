import Archives
import Synchronization

/// The lifetime of a fetcher: whether it is closed, and the open files of its resources. Safe from any thread.
final class FetcherLifetime: Sendable {
    private struct State {
        var isClosed = false
        var files: [ObjectIdentifier: WeakFile] = [:]
    }

    private struct WeakFile {
        weak var file: FileByteSource?
    }

    private let state = Mutex(State())

    /// Whether the fetcher was closed.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Registers an open file to be closed with the fetcher. Returns false if the fetcher is already closed.
    func add(_ file: FileByteSource) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.files[ObjectIdentifier(file)] = WeakFile(file: file)
            return true
        }
    }

    /// Unregisters a file that its resource closes.
    func remove(_ file: FileByteSource) {
        state.withLock { _ = $0.files.removeValue(forKey: ObjectIdentifier(file)) }
    }

    /// Closes all files, and prevents more from being opened.
    func close() {
        let open = state.withLock { state in
            state.isClosed = true
            defer { state.files = [:] }
            return state.files.values.compactMap(\.file)
        }
        for file in open { file.close() }
    }
}
