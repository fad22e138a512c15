import Glibc

/// The awaited event has not happened.
public struct WaitedInVain: Error {}

/// Waits for an event in another thread or process; gives up after five minutes.
public func waitUntil(_ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now.advanced(by: .seconds(300))
    while try !condition() {
        guard ContinuousClock.now < end else { throw WaitedInVain() }
        poll(nil, 0, 1)
    }
}
