import Glibc
import OverlayABI
import Synchronization

/// A table of the other side, as its functions on this side see it.
///
/// Unowned: the token that leads here ends with the link.
final class TableProxy: CallTarget {
    private unowned let link: Link
    private let number: UInt64
    /// For each function: where the pulse stood, plus one, when it last answered no to a question; 0: it did not.
    private let denials: Mutex<[UInt64]>

    init(_ link: Link, _ number: UInt64) {
        self.link = link
        self.number = number
        denials = Mutex([])
    }

    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        // Before the question is asked: what changes from now on moves the pulse.
        let mark = function.isQuestion ? link.pulse.map { $0.count &+ 1 } : nil
        if let mark, isStillNo(function, mark) { return function.store(0, result) }
        link.converse { conversation in
            do throws(CrossingError) {
                // On another thread the end would not come before that of the running method.
                if function.isOneWay, conversation.isMain {
                    try conversation.tell(function, of: number, arguments)
                } else {
                    try conversation.call(function, of: number, arguments, result)
                }
            } catch {
                conversation.failed(error, function, arguments, result)
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
/// Unchecked: `stop` is used by the thread of the conversation only.
final class SinkProxy: CallTarget, @unchecked Sendable {
    let number: UInt64
    let conversation: Conversation
    /// What the other side has answered and nobody has been told: not to go on.
    @exclusivity(unchecked) var stop: ovl_status?

    init(_ conversation: Conversation, _ number: UInt64) {
        self.conversation = conversation
        self.number = number
    }

    @inline(__always)
    func invoke(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer
    ) {
        do throws(CrossingError) {
            if function.isRow, conversation.isMine {
                let status = try conversation.put(function, self, arguments)
                return function.store(UInt64(bitPattern: Int64(status)), result)
            }
        } catch {
            return conversation.failed(error, function, arguments, result)
        }
        // On a thread that is not the conversation's: the other side finds out and says so.
        conversation.link.converse { conversation in
            do throws(CrossingError) {
                try conversation.call(function, of: number, arguments, result)
            } catch {
                conversation.failed(error, function, arguments, result)
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
