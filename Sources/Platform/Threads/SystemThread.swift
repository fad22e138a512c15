import COpenSSL
import Glibc

/// An operating system thread, for blocking work.
package struct SystemThread: Hashable, Sendable {
    /// Bytes of stack for work that mostly waits.
    package static let smallStack = 1 << 20

    private let id: pthread_t

    /// The calling thread.
    package static var current: SystemThread { SystemThread(id: pthread_self()) }

    /// Runs `body` on a new thread, which must be joined once; nil, with errno, if the system has no thread left.
    ///
    /// - Parameters:
    ///   - stackSize: bytes of stack; nil for the system's default.
    ///   - body: the work. It is released when the thread has ended.
    package init?(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        guard let id = Self.start(isDetached: false, stackSize, body) else { return nil }
        self.id = id
    }

    /// Runs `body` on a new thread that is not joined; false, with errno, if the system has no thread left.
    ///
    /// - Parameters:
    ///   - stackSize: bytes of stack; nil for the system's default.
    ///   - body: the work.
    package static func detached(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) -> Bool {
        start(isDetached: true, stackSize, body) != nil
    }

    /// Waits until the thread has ended.
    package func join() { pthread_join(id, nil) }

    private init(id: pthread_t) { self.id = id }

    private static func start(
        isDetached: Bool, _ stackSize: Int?, _ body: @escaping @Sendable () -> Void
    ) -> pthread_t? {
        var attributes = pthread_attr_t()
        errno = pthread_attr_init(&attributes)
        guard errno == 0 else { return nil }
        defer { pthread_attr_destroy(&attributes) }
        if isDetached { pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        let work = Unmanaged.passRetained(Work(run: body))
        var id = pthread_t()
        let problem = pthread_create(
            &id, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        guard problem == 0 else {
            work.release()
            errno = problem
            return nil
        }
        return id
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
