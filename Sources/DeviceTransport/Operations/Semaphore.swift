import Glibc

/// Counts: `wait` takes one, and waits as long as there is none.
final class Semaphore: @unchecked Sendable {
    // The system's semaphores may be used by any thread; the pointer is constant, and nobody waits at the end.
    private let pointer: UnsafeMutablePointer<sem_t>

    init() {
        pointer = .allocate(capacity: 1)
        // Fails only for a value out of range.
        sem_init(pointer, 0, 0)
    }

    deinit {
        sem_destroy(pointer)
        pointer.deallocate()
    }

    func signal() { sem_post(pointer) }

    func wait() { while sem_wait(pointer) != 0, errno == EINTR {} }
}
