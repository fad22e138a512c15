import Glibc

/// A list of sniffers under a lock, which can be held while the list is changed in place.
///
/// `@unchecked`: the mutex protects `sniffers`; `Mutex` of the standard library cannot be held across a yield.
final class SnifferList: @unchecked Sendable {
    /// The list; to be touched only while the lock is held.
    var sniffers: [Format.Sniffer]
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init(_ sniffers: [Format.Sniffer]) {
        self.sniffers = sniffers
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// The list as it is now.
    func read() -> [Format.Sniffer] {
        lock()
        defer { unlock() }
        return sniffers
    }

    /// Waits for the lock and holds it.
    func lock() { pthread_mutex_lock(mutex) }

    /// Releases the lock.
    func unlock() { pthread_mutex_unlock(mutex) }
}
