import Glibc
import OverlayABI
import OverlayCalls
import Synchronization

/// A table of the other side, as its functions on this side see it.
///
/// Unowned: the token that leads here ends with the connection.
final class TableProxy: CallTarget {
    private unowned let rpc: RPCConnection
    private let number: UInt64
    /// For each function: where the counter stood, plus one, when it last answered no to a question; 0: it did not.
    private let denials: Mutex<[UInt64]>

    init(_ rpc: RPCConnection, _ number: UInt64) {
        self.rpc = rpc
        self.number = number
        denials = Mutex([])
    }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        // Before the question is asked: what changes from now on moves the counter.
        let mark = function.isQuestion ? rpc.changeCounter.map { $0.count &+ 1 } : nil
        if let mark, isStillNo(function, mark) { return function.store(0, result) }
        rpc.withSession { session in
            do throws(WorkerRPCError) {
                // On another thread the end would not come before that of the running method.
                if function.isOneWay, session.isMain {
                    try session.tell(function, of: number, arguments)
                } else {
                    try session.call(function, of: number, arguments, result)
                }
            } catch {
                session.failed(error, function, arguments, result)
            }
        }
        guard let mark, result.load(as: Int32.self) == 0 else { return }
        denials.withLock { denials in
            while denials.count <= function.index { denials.append(0) }
            denials[function.index] = mark
        }
    }

    private func isStillNo(_ function: FunctionPlan, _ mark: UInt64) -> Bool {
        denials.withLock { $0.count > function.index && $0[function.index] == mark }
    }
}

/// A sink of the other side, as it is put into on this side: rows are gathered until they are worth a message.
///
/// Unchecked: `stop` is used by the thread of the session only.
final class SinkProxy: CallTarget, @unchecked Sendable {
    let number: UInt64
    let session: RPCSession
    /// The other side's answer not to continue, until the overlay's next row gets it.
    @exclusivity(unchecked) var stop: ovl_status?

    init(_ session: RPCSession, _ number: UInt64) {
        self.session = session
        self.number = number
    }

    @inline(__always)
    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        do throws(WorkerRPCError) {
            if function.isRow, session.isMine {
                let status = try session.put(function, self, arguments)
                return function.store(UInt64(bitPattern: Int64(status)), result)
            }
        } catch {
            return session.failed(error, function, arguments, result)
        }
        // On a thread that is not the session's: the other side finds out and says so.
        session.rpc.withSession { session in
            do throws(WorkerRPCError) {
                try session.call(function, of: number, arguments, result)
            } catch {
                session.failed(error, function, arguments, result)
            }
        }
    }
}

/// The time by which rows and answers age.
enum Clock {
    /// Nanoseconds on the monotonic clock.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
