import CSystemShims
import Glibc

/// Waits until something happens on a descriptor or `timeout` has passed (nil: for ever), as `ppoll(2)`.
///
/// Unlike `poll(2)` it keeps time finer than a millisecond, which simulated latencies need.
func pollOnce(_ descriptors: inout [pollfd], timeout: Duration?) -> Int {
    guard let timeout else { return Int(shim_ppoll(&descriptors, UInt(descriptors.count), -1)) }
    let (seconds, attoseconds) = timeout.components
    let bounded = min(seconds, 1_000_000)
    return Int(
        shim_ppoll(
            &descriptors, UInt(descriptors.count), bounded * 1_000_000_000 + attoseconds / 1_000_000_000))
}
