import CSystemShims
import Glibc

/// Waits until something happens on a descriptor or `timeout` has passed (nil: for ever), as `ppoll(2)`.
///
/// Unlike `poll(2)` it keeps time finer than a millisecond. The number of ready descriptors; 0 when the time is over,
/// -1 with errno on failure.
package func pollOnce(_ descriptors: inout [pollfd], timeout: Duration?) -> Int {
    guard let timeout else { return Int(shim_ppoll(&descriptors, UInt(descriptors.count), -1)) }
    let (seconds, attoseconds) = timeout.components
    let bounded = min(max(seconds, 0), 1_000_000)
    let nanoseconds = bounded * 1_000_000_000 + max(attoseconds, 0) / 1_000_000_000
    return Int(shim_ppoll(&descriptors, UInt(descriptors.count), nanoseconds))
}
