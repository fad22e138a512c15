import CSystemShims
import Glibc

/// Waits until something happens on a descriptor or `timeout` has passed, as `ppoll(2)` does. Nil waits without a
/// limit.
///
/// Unlike `poll(2)`, its timeout is finer than a millisecond. Returns the number of ready descriptors; 0 after the
/// timeout, -1 with errno on failure.
package func pollOnce(_ descriptors: inout [pollfd], timeout: Duration?) -> Int {
    guard let timeout else { return Int(shim_ppoll(&descriptors, UInt(descriptors.count), -1)) }
    let (seconds, attoseconds) = timeout.components
    let bounded = min(max(seconds, 0), 1_000_000)
    let nanoseconds = bounded * 1_000_000_000 + max(attoseconds, 0) / 1_000_000_000
    return Int(shim_ppoll(&descriptors, UInt(descriptors.count), nanoseconds))
}
