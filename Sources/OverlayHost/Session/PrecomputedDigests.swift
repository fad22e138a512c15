import Glibc
import Platform
import Synchronization

/// Computes the content identifiers of files on another thread, in their order, while their metadata is read.
///
/// For use by one thread, which asks for the files in their order, and reads a file itself if the other thread has not
/// begun with it.
final class PrecomputedDigests {
    /// A content identifier, and the file to which it applies.
    struct Computed: Equatable {
        var identity: LocalIdentity
        var contentID: String
    }

    private enum Place {
        case waiting
        /// The other thread computes it, and holds `isComputing`.
        case begun
        /// Nil if the file cannot be read.
        case done(Computed?)
    }

    /// The state of both threads.
    private final class Work: Sendable {
        let places: Mutex<[Place]>
        let isComputing = Mutex(())
        let hasEnded = Atomic(false)
        /// The last file that the caller has skipped; -1 for none. No file up to it is needed any more.
        let skipped = Atomic(-1)

        init(count: Int) { places = Mutex(Array(repeating: .waiting, count: count)) }
    }

    private let work: Work
    private let thread: SystemThread?

    /// Starts with the first file. A single file is left to the caller.
    ///
    /// - Parameter compute: reads a file until the closure returns true; tests can replace it.
    init(
        of files: [String], _ cancellation: Cancellation,
        compute: @escaping @Sendable (String, _ isCancelled: () -> Bool) -> Computed? = PrecomputedDigests
            .compute
    ) {
        let work = Work(count: files.count)
        self.work = work
        guard files.count > 1 else {
            thread = nil
            return
        }
        thread = SystemThread(stackSize: SystemThread.smallStack) {
            for (index, file) in files.enumerated() {
                guard !work.hasEnded.load(ordering: .relaxed) else { return }
                work.isComputing.withLock { _ in
                    guard Self.begin(index, work) else { return }
                    let computed = compute(file) {
                        cancellation.isCancelled || work.hasEnded.load(ordering: .relaxed)
                            || work.skipped.load(ordering: .relaxed) >= index
                    }
                    work.places.withLock { $0[index] = .done(computed) }
                }
            }
        }
    }

    deinit {
        work.hasEnded.store(true, ordering: .relaxed)
        thread?.join()
    }

    /// The identifier of the content that a file has at this identity; nil if the caller must read the file, because
    /// the other thread has not begun with it, could not read it, or has read a different file.
    func contentID(at index: Int, of identity: LocalIdentity) -> String? {
        var place = take(index)
        if case .begun = place {
            work.isComputing.withLock { _ in }
            place = take(index)
        }
        guard case .done(let computed) = place, let computed, computed.identity == identity else {
            return nil
        }
        return computed.contentID
    }

    /// Ends the work for a file that is not needed, such as a large one of another format.
    func skip(_ index: Int) {
        work.skipped.store(index, ordering: .relaxed)
        _ = take(index)
    }

    /// The state of a file. If it is waiting, the caller reads it.
    private func take(_ index: Int) -> Place {
        work.places.withLock { places in
            let place = places[index]
            if case .waiting = place { places[index] = .done(nil) }
            return place
        }
    }

    /// Whether the other thread computes an identifier, because the caller does not.
    private static func begin(_ index: Int, _ work: Work) -> Bool {
        work.places.withLock { places in
            guard case .waiting = places[index] else { return false }
            places[index] = .begun
            return true
        }
    }

    /// Reads a file. Its errors are reported by the caller, which reads it again.
    @Sendable
    static func compute(_ file: String, isCancelled: () -> Bool) -> Computed? {
        guard let opened = FileDescriptor(opening: file, O_RDONLY | O_NONBLOCK), let status = opened.status,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        let identity = LocalIdentity(status)
        let contentID: String
        do throws(HostError) {
            contentID = try LocalBook.contentID(opened.number, file, isCancelled: isCancelled)
        } catch {
            return nil
        }
        guard LocalIdentity(descriptor: opened.number) == identity else { return nil }
        return Computed(identity: identity, contentID: contentID)
    }
}
