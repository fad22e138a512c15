import OverlayCalls

/// One record of a recording.
package struct TraceEvent: Sendable {
    /// What it tells.
    package enum Content: Sendable {
        /// A call that is about to be made: the values of its arguments, nil for one that the callee writes. Nil as a whole when
        /// the program ended while they were being written.
        case call([TraceValue?]?)
        /// A call that has returned: its result, and what the callee wrote.
        case answer(TraceValue?, [TraceValue?])
        /// An overlay takes part from now on.
        case overlay(TraceRecorder.Overlay)
        /// The overlay ended during a method, which then returned as if it had failed.
        case breakdown(TraceRecorder.Breakdown)
        /// The recording was ended.
        case end(isDiskFull: Bool)
    }

    /// What it tells.
    package let content: Content
    /// Nanoseconds since the recording began.
    package let time: UInt64
    /// The thread, from 1.
    package let thread: UInt16
    /// The number of the call.
    package let call: UInt32
    /// The instance, or the sink.
    package let target: UInt32
    /// For `create`: the number of the overlay.
    package let overlay: UInt32
    /// Whether the overlay calls and the host is called; of a breakdown, no.
    package let isFromOverlay: Bool
    /// The function; nil for an event that is not a call.
    package let function: FunctionPlan?
}
