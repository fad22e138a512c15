import Glibc

extension Format {
    /// The sniffers that a guess runs by default. Initially these are the 18 sniffers of the proposal, in its order.
    ///
    /// An application may add and remove sniffers. Any thread may read and change the list at any time, and a change
    /// such as `append` is atomic. A guess in progress keeps the list with which it began.
    public static var defaultSniffers: [Sniffer] {
        get { snifferList.read() }
        _modify {
            snifferList.lock()
            defer { snifferList.unlock() }
            yield &snifferList.sniffers
        }
    }

    /// Sniffers for formats that later specifications added: images, audio, W3C packages, and finally generic
    /// containers.
    ///
    /// They do not change any result of the 18 sniffers in `guessExtended`, which runs them only if those find
    /// nothing.
    public static let extendedSniffers: [Sniffer] = BuiltInSniffer.laterSniffers

    private static let snifferList = SnifferList(BuiltInSniffer.draftSniffers)
}

/// A list of sniffers with a lock, which can be held while the list is changed in place.
///
/// `@unchecked`: the mutex protects `sniffers`. The standard library's `Mutex` cannot be held across a yield.
final class SnifferList: @unchecked Sendable {
    /// The list. Access it only while the lock is held.
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

    /// The current list.
    func read() -> [Format.Sniffer] {
        lock()
        defer { unlock() }
        return sniffers
    }

    /// Acquires the lock; blocks until it is available.
    func lock() { pthread_mutex_lock(mutex) }

    /// Releases the lock.
    func unlock() { pthread_mutex_unlock(mutex) }
}
