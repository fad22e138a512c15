import OverlayCalls

/// One record of a recording.
package struct TraceEvent: Sendable {
    /// The content of the event.
    package enum Content: Sendable {
        /// A call that is about to be made: the values of its arguments, nil for one that the callee writes. All nil
        /// if the program ended while writing them.
        case call([TraceValue?]?)
        /// A call that has returned: its result, and what the callee wrote.
        case answer(TraceValue?, [TraceValue?])
        /// An overlay participates from here on.
        case overlay(TraceRecorder.Overlay)
        /// The overlay ended during a method, which then returned as if it had failed.
        case breakdown(TraceRecorder.Breakdown)
        /// The recording was closed.
        case end(isDiskFull: Bool)
    }

    /// The content.
    package let content: Content
    /// Nanoseconds since the recording began.
    package let time: UInt64
    /// The number of the thread, from 1.
    package let thread: UInt16
    /// The number of the call.
    package let call: UInt32
    /// The number of the instance or sink.
    package let target: UInt32
    /// For `create`: the number of the overlay.
    package let overlay: UInt32
    /// Whether the overlay calls the host; false for a breakdown.
    package let isFromOverlay: Bool
    /// The function; nil for an event that is not a call.
    package let function: FunctionPlan?
}
