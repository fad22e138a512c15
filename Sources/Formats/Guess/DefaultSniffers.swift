import Glibc

extension Format {
    /// The sniffers that a guess asks unless it is given others: at first the 18 of the proposal, in its order.
    ///
    /// An application may add and remove some. Any thread may read and change the list at any time, and a change such as
    /// `append` is one step; a guess under way keeps the list it began with.
    public static var defaultSniffers: [Sniffer] {
        get { snifferList.read() }
        _modify {
            snifferList.lock()
            defer { snifferList.unlock() }
            yield &snifferList.sniffers
        }
    }

    /// Sniffers of formats that later texts added: images, audio, packages of W3C, and generic containers last.
    ///
    /// They change no result of the 18 in `guessExtended`, which asks them only when those know nothing.
    public static let extendedSniffers: [Sniffer] = BuiltInSniffer.laterSniffers

    private static let snifferList = SnifferList(BuiltInSniffer.draftSniffers)
}

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
