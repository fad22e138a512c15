import Foundation
import Glibc
import Synchronization

/// The descriptors of another thread while something fails here: a descriptor that is closed twice takes one along that somebody
/// else was given in between.
public enum BystanderDescriptors {
    private struct Sight {
        var lost = 0
        var isOver = false
    }

    private final class Bystander: Sendable {
        let sight = Mutex(Sight())

        /// Opens a file, looks at it and closes it, again and again, and counts the files that somebody else has closed.
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

    /// Something did not fail that was to.
    public struct Success: Error {}

    /// How many descriptors of another thread were closed while `failing` failed thousands of times.
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
