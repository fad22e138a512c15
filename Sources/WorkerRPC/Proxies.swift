import OverlayABI
import OverlayCalls
import Synchronization

/// A table of the other side, as this side's functions see it.
///
/// Unowned: the token that refers to this ends with the connection.
final class TableProxy: CallTarget {
    private unowned let rpc: RPCConnection
    private let number: UInt64
    /// For each function, the counter plus one at its last negative answer to a question; 0 if there was none.
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
        // Read before the question is asked, because any later change increments the counter.
        let mark = function.isQuestion ? rpc.changeCounter.map { $0.count &+ 1 } : nil
        if let mark, isStillNo(function, mark) { return function.store(0, result) }
        rpc.withSession { session in
            do throws(WorkerRPCError) {
                // On another thread, this call would not arrive before the end of the running method.
                if function.isOneWay, session.isMain {
                    try session.notify(function, of: number, arguments)
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

/// A sink of the other side, as this side uses it. Rows are collected until a message is worthwhile.
///
/// Unchecked: only the thread of the session uses `stop`.
final class SinkProxy: CallTarget, @unchecked Sendable {
    let number: UInt64
    let session: RPCSession
    /// The other side's request to stop, which the overlay's next row returns.
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
        // Another thread than the session's calls it: the other side notices and reports that.
        session.rpc.withSession { session in
            do throws(WorkerRPCError) {
                try session.call(function, of: number, arguments, result)
            } catch {
                session.failed(error, function, arguments, result)
            }
        }
    }
}
