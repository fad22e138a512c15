import Glibc

/// Takes an exclusive lock on an open file or folder, and waits while another program has one. Returns 0, or the
/// errno of the failure.
///
/// Closing the descriptor releases the lock. Any thread.
package func waitForLock(of descriptor: Int32) -> Int32 {
    while flock(descriptor, LOCK_EX) != 0 {
        guard errno == EINTR else { return errno }
    }
    return 0
}

/// Takes the same lock but can be cancelled: it checks for a cancel about twenty times a second. Any thread.
///
/// - Parameters:
///   - waiting: called once if it has to wait.
///   - isCancelled: ends the wait with `ECANCELED`.
package func waitForLock(of descriptor: Int32, waiting: () -> Void, isCancelled: () -> Bool) -> Int32 {
    var hasWaited = false
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        let code = errno
        guard code == EWOULDBLOCK || code == EINTR else { return code }
        if !hasWaited { waiting() }
        hasWaited = true
        if isCancelled() { return ECANCELED }
        usleep(50_000)
    }
    return 0
}
