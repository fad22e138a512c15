import Synchronization

/// The state that all file connections of a simulated device share: matched faults, used space, and the trace of
/// requests.
package final class FileServiceState: Sendable {
    /// The number of requests that the trace keeps. The oldest are dropped.
    package static let traceCapacity = 4096

    private struct Trace {
        var count: UInt64 = 0
        var requests: [TracedRequest] = []
        var hook: (@Sendable (TracedRequest) -> Void)?
        /// The same for an app, by its bundle id.
        var appHooks: [String: @Sendable (TracedRequest) -> Void] = [:]
    }

    private let faults = Mutex(FaultProgress())
    private let space = Mutex(SpaceLedger())
    private let trace = Mutex(Trace())
    private let openFiles = Mutex(0)

    /// Creates an empty state.
    package init() {}

    func effects(under plan: FaultPlan, operation: String, paths: [String]) -> [Fault.Effect] {
        faults.withLock { $0.effects(under: plan, operation: operation, paths: paths) }
    }

    /// Resets the progress of the faults.
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

    /// Counts one more open file. Returns false if `limit` files are open.
    func takeHandle(limit: Int?) -> Bool {
        openFiles.withLock { count in
            if let limit, count >= limit { return false }
            count += 1
            return true
        }
    }

    /// Counts closed files.
    func giveBackHandles(_ number: Int = 1) { openFiles.withLock { $0 -= number } }

    /// Numbers a request, adds it to the trace, and calls the hook. The hook is called outside the lock, so it may
    /// read the trace.
    func record(_ request: TracedRequest) {
        var request = request
        // The dropped request is freed after the lock is released, because other connections wait for the lock.
        let (hooks, former) = trace.withLock {
            trace -> ([@Sendable (TracedRequest) -> Void], TracedRequest?) in
            trace.count += 1
            request.number = trace.count
            let hooks = [trace.hook].compactMap { $0 } + trace.appHooks.values
            guard trace.requests.count == Self.traceCapacity else {
                trace.requests.append(request)
                return (hooks, nil)
            }
            let place = Int((trace.count - 1) % UInt64(Self.traceCapacity))
            let former = trace.requests[place]
            trace.requests[place] = request
            return (hooks, former)
        }
        for hook in hooks { hook(request) }
        withExtendedLifetime(former) {}
    }

    var recorded: [TracedRequest] {
        trace.withLock { trace in
            let split = Int(trace.count % UInt64(Self.traceCapacity))
            guard trace.requests.count == Self.traceCapacity, split > 0 else { return trace.requests }
            return Array(trace.requests[split...] + trace.requests[..<split])
        }
    }

    /// Sets a closure that is called after each request; nil for none.
    func setHook(of app: String, _ hook: (@Sendable (TracedRequest) -> Void)?) {
        trace.withLock { $0.appHooks[app] = hook }
    }

    func setHook(_ hook: (@Sendable (TracedRequest) -> Void)?) {
        trace.withLock { $0.hook = hook }
    }
}

/// One request to the file service of a simulated device, and its result.
public struct TracedRequest: Sendable, Equatable {
    /// The sequence number among all requests to the device, starting at 1.
    public var number: UInt64
    /// The operation's AFC name, for example `FILE_OPEN`; `0x…` for an operation that the device does not know.
    public var operation: String
    /// The path, or the path of the open file; nil for a request without one.
    public var path: String?
    /// The second path of a rename or link.
    public var secondPath: String?
    /// The status code of the answer, 0 for success; nil if the connection ended without an answer.
    public var status: UInt64?
    /// The size of the request in bytes, including the payload.
    public var bytesReceived: Int
    /// The size of the answer in bytes.
    public var bytesSent: Int
    /// The time from the arrival of the request to its answer.
    public var duration: Duration
}

/// The free space of the simulated data volume: the value in the settings, minus what clients have stored since it
/// was set.
struct SpaceLedger {
    private var base: UInt64 = 0
    private var used: Int64 = 0

    /// The number of bytes that are free now.
    mutating func free(of setting: UInt64) -> UInt64 {
        adopt(setting)
        let (free, overflow) = Int64(clamping: setting).subtractingReportingOverflow(used)
        return overflow ? 0 : UInt64(max(0, free))
    }

    /// Uses up to `count` bytes and returns how many were available.
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
