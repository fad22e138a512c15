import Synchronization

/// What all file connections of one simulated device share: faults met so far, space used, and the trace of requests.
package final class FileServiceState: Sendable {
    /// Requests that the trace keeps; the oldest are dropped.
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
        // The request that is dropped is freed after the lock, because other connections wait for it.
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

/// One request the file service of a simulated device was asked, and how it ended.
public struct TracedRequest: Sendable, Equatable {
    /// The request's place among all of the device, from 1.
    public var number: UInt64
    /// The operation's name in AFC, for example `FILE_OPEN`; `0x…` for one the device does not know.
    public var operation: String
    /// The path, or that of the open file; nil for a request without one.
    public var path: String?
    /// The second path of a rename or link.
    public var secondPath: String?
    /// The status code answered, 0 for success; nil when the connection ended without an answer.
    public var status: UInt64?
    /// Bytes of the request, payload included.
    public var bytesReceived: Int
    /// Bytes of the answer.
    public var bytesSent: Int
    /// From the request's arrival to its answer.
    public var duration: Duration
}

/// Free space of the simulated data volume: what the settings say, less what clients have stored since they said so.
struct SpaceLedger {
    private var base: UInt64 = 0
    private var used: Int64 = 0

    /// Bytes free now.
    mutating func free(of setting: UInt64) -> UInt64 {
        adopt(setting)
        let (free, overflow) = Int64(clamping: setting).subtractingReportingOverflow(used)
        return overflow ? 0 : UInt64(max(0, free))
    }

    /// Takes up to `count` bytes and returns how many there were.
    mutating func take(_ count: UInt64, of setting: UInt64) -> UInt64 {
        let granted = min(count, free(of: setting))
        used = used.addingReportingOverflow(Int64(clamping: granted)).partialValue
        return granted
    }

    /// Gives bytes back.
    mutating func giveBack(_ count: UInt64, of setting: UInt64) {
        adopt(setting)
        let (difference, overflow) = used.subtractingReportingOverflow(Int64(clamping: count))
        if !overflow { used = difference }
    }

    private mutating func adopt(_ setting: UInt64) {
        guard setting != base else { return }
        base = setting
        used = 0
    }
}
