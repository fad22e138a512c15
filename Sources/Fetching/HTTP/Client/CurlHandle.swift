import CCurl
import Synchronization

/// A lane: one transfer at a time, and the connections that it leaves open.
///
/// Unchecked: the handles never change, a lane taken from the pool has one user, and any thread may call `wake`.
final class CurlHandle: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
    let easy: UnsafeMutableRawPointer
    /// The origin of the last transfer.
    var origin = ""

    init?() {
        guard let multi = ccurl_multi_create(4) else { return nil }
        guard let easy = ccurl_easy_create() else {
            ccurl_multi_free(multi)
            return nil
        }
        self.multi = multi
        self.easy = easy
    }

    deinit {
        ccurl_easy_free(easy)
        ccurl_multi_free(multi)
    }

    func wake() { ccurl_wakeup(multi) }
}

/// The unused lanes, which are kept for their connections.
final class CurlLanePool: Sendable {
    private static let kept = 8
    private let idle = Mutex<[CurlHandle]>([])

    /// A lane, preferably one that is connected to `origin`; nil if memory is exhausted.
    func take(_ origin: String) -> CurlHandle? {
        let lane = idle.withLock { idle -> CurlHandle? in
            if let index = idle.lastIndex(where: { $0.origin == origin }) { return idle.remove(at: index) }
            return idle.count < Self.kept ? nil : idle.removeFirst()
        }
        let taken = lane ?? CurlHandle()
        taken?.origin = origin
        return taken
    }

    func giveBack(_ lane: CurlHandle) {
        let surplus = idle.withLock { idle -> CurlHandle? in
            idle.append(lane)
            return idle.count > Self.kept ? idle.removeFirst() : nil
        }
        // Released outside the lock, because closing a TLS connection writes to it.
        _ = surplus
    }
}
