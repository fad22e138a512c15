import Archives
import HostContent
import Platform

/// Reads what copies say about themselves as soon as they are there, on a thread of its own, while the next ones come from the
/// device.
///
/// A look that has not begun when its content is asked for is left out: then the one who asks reads the copy.
final class StagedLooks {
    /// Copies that wait for a look, or were looked into and have not been asked for: each of these is open.
    private static let most = 128

    private struct State {
        var waiting: [(path: String, name: String)] = []
        /// The copy that the thread looks into.
        var current: String?
        var ready: [String: OpenContent] = [:]
        var isEnded = false
    }

    private let state = Monitor(State())
    private var thread: SystemThread?

    /// Forgets what was not asked for.
    func forget() {
        let rest = state.change { state in
            state.waiting = []
            defer { state.ready = [:] }
            return Array(state.ready.values)
        }
        for content in rest { content.close() }
    }

    /// Takes a copy, unless too many are waiting.
    ///
    /// - Parameter name: the name of the file on the device.
    func add(_ path: String, name: String) {
        if thread == nil { thread = SystemThread { [state] in Self.run(state) } }
        guard thread != nil else { return }
        state.change { state in
            guard state.waiting.count + state.ready.count < Self.most else { return }
            state.waiting.append((path, name))
        }
    }

    /// Gives away a copy that was looked into; nil if it was not, or could not be opened.
    func take(_ path: String) -> OpenContent? {
        state.wait { state -> OpenContent?? in
            if let content = state.ready.removeValue(forKey: path) { return .some(content) }
            if state.current == path { return nil }
            state.waiting.removeAll { $0.path == path }
            return .some(nil)
        }
    }

    /// Waits until no copy waits for a look.
    func settle() { state.wait { $0.waiting.isEmpty && $0.current == nil ? () : nil } }

    deinit {
        state.change { $0.isEnded = true }
        thread?.join()
        forget()
    }

    private static func run(_ state: Monitor<State>) {
        while true {
            let next = state.wait { state -> (path: String, name: String)?? in
                if state.isEnded { return .some(nil) }
                guard !state.waiting.isEmpty else { return nil }
                let next = state.waiting.removeFirst()
                state.current = next.path
                return next
            }
            guard let next else { return }
            let content = look(into: next.path, next.name)
            state.change { state in
                state.current = nil
                if let content { state.ready[next.path] = content }
            }
        }
    }

    private static func look(into path: String, _ name: String) -> OpenContent? {
        do throws(ByteSourceError) {
            let content = OpenContent(try FileByteSource(path: path), name: name, isFar: false)
            content.readAhead()
            return content
        } catch {
            // The one who asks is told why.
            return nil
        }
    }
}
