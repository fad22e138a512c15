/// One thing that goes wrong in the file service, and the requests it happens to.
///
/// Without conditions a fault happens to every request; each condition narrows it down.
public struct Fault: Sendable, Equatable {
    /// What happens.
    public enum Effect: Sendable, Equatable {
        /// The request is not carried out and this status code is answered (the numbers of AFC, 18 for a full disk).
        case status(UInt64)
        /// The connection ends before the request is carried out.
        case disconnect
        /// The connection ends after the request was carried out, without an answer.
        case disconnectUnanswered
        /// The request is carried out, but its answer and all later ones wait until another plan is in place.
        case stall
        /// Nothing is read from the connection any more, the payload of this request included, until another plan is in place.
        case stopReading
        /// The answer comes this much later, and with it the answers to all later requests of the connection.
        case lateReply(Duration)
        /// The answer's packet number is the right one plus this, at most a wrap-around away from it.
        case wrongPacketNumber(UInt64)
        /// FILE_READ answers at most so many bytes; the position moves by what was answered.
        case shortRead(Int)
        /// FILE_WRITE stores so many bytes of its payload and answers 18 (no space left); MAKE_DIR and MAKE_LINK just answer 18.
        /// Every other request is left alone: a full disk can be read, listed and tidied up.
        case diskFull(keeping: Int)
        /// So many bytes of the answer are sent, then the connection ends.
        case partialReply(Int)
        /// These bytes are sent in place of the answer; the connection stays open.
        case garbageReply([UInt8])
    }

    /// The paths a fault happens to, as the client writes them but with a leading slash and without a trailing one.
    ///
    /// A request on an open file has the path it was opened with. A request with two paths matches by either.
    public enum Path: Sendable, Equatable {
        /// This path only.
        case exactly(String)
        /// This path and everything below it.
        case below(String)
    }

    /// What happens.
    public var effect: Effect
    /// The paths it happens to; nil for all, requests without a path included.
    public var path: Path?
    /// The one operation it happens to, by its name in AFC (`FILE_WRITE`); nil for all.
    public var operation: String?
    /// How many matching requests pass unharmed first.
    public var skipping: Int
    /// How many matching requests it happens to after those; nil for all.
    public var times: Int?

    /// Describes a fault.
    public init(
        _ effect: Effect, path: Path? = nil, operation: String? = nil, skipping: Int = 0, times: Int? = nil
    ) {
        self.effect = effect
        self.path = path
        self.operation = operation
        self.skipping = skipping
        self.times = times
    }

    /// A status code on a path, for ever.
    public static func status(_ code: UInt64, at path: Path, operation: String? = nil) -> Fault {
        Fault(.status(code), path: path, operation: operation)
    }

    /// The end of a connection once the device has answered so many file requests; it happens once.
    public static func disconnect(afterRequests count: Int) -> Fault {
        Fault(.disconnect, skipping: count, times: 1)
    }

    /// Silence from the request of this number on (the first is 1) until another plan is in place.
    public static func stall(atRequest number: Int) -> Fault {
        Fault(.stall, skipping: number - 1)
    }

    /// Silence from the first request for a path on until another plan is in place.
    public static func stall(at path: Path) -> Fault {
        Fault(.stall, path: path)
    }
}

/// What goes wrong in the file service of a simulated device.
///
/// A plan is part of `SimulatedDeviceSettings` and may be changed while the device runs: `device.update { $0.faults = … }`.
/// Putting a different plan in place starts its counting at nothing and releases every connection that a fault of the former plan
/// holds. A plan without faults is a healthy device.
public struct FaultPlan: Sendable, Equatable {
    /// The faults; all that match a request happen together, and of two that contradict each other the first wins.
    public var faults: [Fault]

    /// Ends the connection that carries the last of so many bytes, requests and answers of all file connections counted
    /// together from the moment the plan is in place; it happens once. Nil for never.
    public var disconnectAfterBytes: UInt64?

    /// A plan of the given faults, or of none.
    public init(_ faults: [Fault] = [], disconnectAfterBytes: UInt64? = nil) {
        self.faults = faults
        self.disconnectAfterBytes = disconnectAfterBytes
    }
}
