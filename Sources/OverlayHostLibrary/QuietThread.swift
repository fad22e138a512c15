import Glibc
import Platform

/// A thread on which no signal of the program arrives, nor on those that are made from it.
///
/// A connection that ends while it is written to raises SIGPIPE, which must not end the program the library is used by.
enum QuietThread {
    /// Runs `body` to its end and gives what it gives.
    static func run(_ body: () -> Int32) -> Int32 {
        withoutActuallyEscaping(body) { body in
            // This thread waits for the new one, so that only one of them uses the captured values and the result at a time.
            nonisolated(unsafe) let body = body
            nonisolated(unsafe) var result: Int32 = 0
            var (all, before) = (sigset_t(), sigset_t())
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
            let thread = SystemThread { result = body() }
            pthread_sigmask(SIG_SETMASK, &before, nil)
            guard let thread else { return 74 }
            thread.join()
            return result
        }
    }
}
