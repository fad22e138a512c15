import Archives
import HostContent
import HostErrors
import Platform
import Publications

/// Reads the metadata of copies as soon as they exist, on a separate thread, while the next ones are copied from the
/// device. Then lets the command that wants the copies examine them, on the same thread.
///
/// If a copy is needed before its turn, it is removed from the queue, and the caller reads it.
final class StagedCopyReader {
    /// The largest number of copies that wait, or that were read and not requested yet. Each of the latter is an open
    /// file.
    private static let most = 128

    private struct State {
        var waiting: [(path: String, name: String)] = []
        /// The copy that the thread is reading.
        var current: String?
        /// Whether the thread is examining a copy that it has read.
        var isExamining = false
        var ready: [String: OpenContent] = [:]
        /// How often all copies were discarded.
        var generation = 0
        var isEnded = false
    }

    private let state = Monitor(State())
    private let examine: @Sendable (_ copy: String, PublicationInfo?) -> Void
    private var thread: SystemThread?

    /// - Parameter examine: called on the thread for each copy that was read, with its metadata if there is any.
    init(_ examine: @escaping @Sendable (_ copy: String, PublicationInfo?) -> Void) {
        self.examine = examine
    }

    /// Discards the copies that were not requested.
    func forget() {
        let rest = state.change { state in
            state.waiting = []
            state.generation += 1
            defer { state.ready = [:] }
            return Array(state.ready.values)
        }
        for content in rest { content.close() }
    }

    /// Adds a copy, unless too many are waiting.
    ///
    /// - Parameter name: the name of the file on the device.
    func add(_ path: String, name: String) {
        if thread == nil { thread = SystemThread { [state, examine] in Self.run(state, examine) } }
        guard thread != nil else { return }
        state.change { state in
            guard state.waiting.count + state.ready.count < Self.most else { return }
            state.waiting.append((path, name))
        }
    }

    /// Removes and returns a copy that was read; nil if it was not read, or could not be opened. Waits for a copy that
    /// is being read.
    func take(_ path: String) -> OpenContent? {
        state.wait { state -> OpenContent?? in
            if let content = state.ready.removeValue(forKey: path) { return .some(content) }
            if state.current == path { return nil }
            state.waiting.removeAll { $0.path == path }
            return .some(nil)
        }
    }

    /// Waits until no copy is in the queue and none is being examined.
    func settle() {
        state.wait { $0.waiting.isEmpty && $0.current == nil && !$0.isExamining ? () : nil }
    }

    deinit {
        state.change { $0.isEnded = true }
        thread?.join()
        forget()
    }

    private static func run(
        _ state: Monitor<State>, _ examine: (_ copy: String, PublicationInfo?) -> Void
    ) {
        while true {
            let next = state.wait { state -> (path: String, name: String, generation: Int)?? in
                if state.isEnded { return .some(nil) }
                guard !state.waiting.isEmpty else { return nil }
                let (path, name) = state.waiting.removeFirst()
                state.current = path
                return (path, name, state.generation)
            }
            guard let next else { return }
            let content = open(next.path, next.name)
            let publication = content.flatMap(Self.publication)
            let isForgotten = state.change { state in
                state.current = nil
                guard let content, state.generation == next.generation else { return true }
                state.ready[next.path] = content
                state.isExamining = true
                return false
            }
            guard !isForgotten else {
                content?.close()
                continue
            }
            examine(next.path, publication)
            state.change { $0.isExamining = false }
        }
    }

    private static func open(_ path: String, _ name: String) -> OpenContent? {
        do throws(ByteSourceError) {
            let content = OpenContent(try FileByteSource(path: path), name: name, isFar: false)
            content.readAhead()
            return content
        } catch {
            // The caller gets the error when it opens the file.
            return nil
        }
    }

    private static func publication(_ content: OpenContent) -> PublicationInfo? {
        do throws(HostError) { return try content.publication() } catch {
            // The caller gets the error when it asks for the metadata.
            return nil
        }
    }
}
