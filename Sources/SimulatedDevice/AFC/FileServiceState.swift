import Synchronization

/// What all file connections of one simulated device share: faults met so far, space used, and the trace of requests.
package final class FileServiceState: Sendable {
    /// Requests the trace keeps; older ones give way.
    package static let traceCapacity = 4096

    private struct Trace {
        var count: UInt64 = 0
        var requests: [TracedRequest] = []
        var hook: (@Sendable (TracedRequest) -> Void)?
    }

    private let faults = Mutex(FaultProgress())
    private let space = Mutex(SpaceLedger())
    private let trace = Mutex(Trace())
    private let openFiles = Mutex(0)

    /// A state in which nothing has happened.
    package init() {}

    func effects(under plan: FaultPlan, operation: String, paths: [String]) -> [Fault.Effect] {
        faults.withLock { $0.effects(under: plan, operation: operation, paths: paths) }
    }

    /// Forgets what faults have met.
    func forgetFaults() { faults.withLock { $0 = FaultProgress() } }

    func pass(_ count: Int, under plan: FaultPlan) -> Int {
        faults.withLock { $0.pass(count, under: plan) }
    }

    func freeBytes(of setting: UInt64) -> UInt64 {
        space.withLock { $0.free(of: setting) }
    }

    func take(_ count: UInt64, of setting: UInt64) -> UInt64 {
        space.withLock { $0.take(count, of: setting) }
    }

    func giveBack(_ count: UInt64, of setting: UInt64) {
        space.withLock { $0.giveBack(count, of: setting) }
    }

    /// Counts one more open file; false where there are as many as `limit` allows.
    func takeHandle(limit: Int?) -> Bool {
        openFiles.withLock { count in
            if let limit, count >= limit { return false }
            count += 1
            return true
        }
    }

    /// Counts closed files.
    func giveBackHandles(_ number: Int = 1) { openFiles.withLock { $0 -= number } }

    /// Numbers a request, keeps it and tells the hook, outside of the lock so that the hook may ask for the trace.
    func record(_ request: TracedRequest) {
        var request = request
        // The one that gives way is freed after the lock, for which other connections wait.
        let (hook, former) = trace.withLock {
            trace -> ((@Sendable (TracedRequest) -> Void)?, TracedRequest?) in
            trace.count += 1
            request.number = trace.count
            guard trace.requests.count == Self.traceCapacity else {
                trace.requests.append(request)
                return (trace.hook, nil)
            }
            let place = Int((trace.count - 1) % UInt64(Self.traceCapacity))
            let former = trace.requests[place]
            trace.requests[place] = request
            return (trace.hook, former)
        }
        hook?(request)
        withExtendedLifetime(former) {}
    }

    var recorded: [TracedRequest] {
        trace.withLock { trace in
            let split = Int(trace.count % UInt64(Self.traceCapacity))
            guard trace.requests.count == Self.traceCapacity, split > 0 else { return trace.requests }
            return Array(trace.requests[split...] + trace.requests[..<split])
        }
    }

    func setHook(_ hook: (@Sendable (TracedRequest) -> Void)?) {
        trace.withLock { $0.hook = hook }
    }
}
