import Foundation
import Glibc
import Synchronization

/// Watches descriptors of another thread while an operation fails. A descriptor that is closed twice may close one
/// that another thread has opened in between.
public enum BystanderDescriptors {
    private struct Sight {
        var lost = 0
        var isOver = false
    }

    private final class Bystander: Sendable {
        let sight = Mutex(Sight())

        /// Opens, checks and closes a file repeatedly, and counts the files that another thread has closed.
        func watch() {
            while !sight.withLock({ $0.isOver }) {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { continue }
                var status = stat()
                let isThere = (0..<20).allSatisfy { _ in
                    fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
                }
                if isThere { close(descriptor) } else { sight.withLock { $0.lost += 1 } }
            }
        }
    }

    /// An operation that must fail succeeded.
    public struct Success: Error {}

    /// The number of another thread's descriptors that were closed while `failing` failed thousands of times.
    public static func lost(while failing: () throws -> Void) throws -> Int {
        let bystander = Bystander()
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(bystander)
        let problem = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Bystander>.fromOpaque(argument).takeRetainedValue().watch() }
                return nil
            }, argument.toOpaque())
        guard problem == 0 else {
            argument.release()
            throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EAGAIN)
        }
        let failures = (0..<4_000).filter { _ in
            do {
                try failing()
                return false
            } catch {
                return true
            }
        }
        bystander.sight.withLock { $0.isOver = true }
        pthread_join(thread, nil)
        guard failures.count == 4_000 else { throw Success() }
        return bystander.sight.withLock { $0.lost }
    }
}
