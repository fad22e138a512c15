import Glibc

/// A thread on which no signal of the program arrives, nor on those that are made from it.
///
/// A connection that ends while it is written to raises SIGPIPE, which must not end the program the library is used by.
enum QuietThread {
    private final class Work {
        let body: () -> Int32
        var result: Int32 = 0

        init(_ body: @escaping () -> Int32) { self.body = body }
    }

    /// Runs `body` to its end and gives what it gives.
    static func run(_ body: () -> Int32) -> Int32 {
        withoutActuallyEscaping(body) { body in
            let work = Work(body)
            let context = Unmanaged.passUnretained(work).toOpaque()
            var (all, before) = (sigset_t(), sigset_t())
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
            var thread = pthread_t()
            let failure = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    let work = Unmanaged<Work>.fromOpaque(context).takeUnretainedValue()
                    work.result = work.body()
                    return nil
                }, context)
            pthread_sigmask(SIG_SETMASK, &before, nil)
            guard failure == 0 else { return 74 }
            pthread_join(thread, nil)
            return withExtendedLifetime(work) { work.result }
        }
    }
}
