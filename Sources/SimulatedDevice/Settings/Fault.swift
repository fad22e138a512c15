/// One fault of the file service, and the requests that it affects.
///
/// Without conditions, a fault affects every request. Each condition restricts it further.
public struct Fault: Sendable, Equatable {
    /// The effect of a fault.
    public enum Effect: Sendable, Equatable {
        /// The request is not carried out, and this status code is answered (an AFC status, such as 18 for a full
        /// disk).
        case status(UInt64)
        /// The connection ends before the request is carried out.
        case disconnect
        /// The request is carried out, but the connection ends without an answer.
        case disconnectUnanswered
        /// The request is carried out, but its answer and all later ones wait until another plan is set.
        case stall
        /// Nothing more is read from the connection, including the payload of this request, until another plan is
        /// set.
        case stopReading
        /// The answer is delayed by this duration, and so are the answers to all later requests of the connection.
        case lateReply(Duration)
        /// The answer's packet number is the correct one plus this value, with wrap-around.
        case wrongPacketNumber(UInt64)
        /// FILE_READ answers at most this many bytes. The position moves by the bytes answered.
        case shortRead(Int)
        /// FILE_WRITE stores this many bytes of its payload and answers 18 (no space left). MAKE_DIR and MAKE_LINK
        /// answer 18. All other requests work: a full disk can be read, listed and cleaned up.
        case diskFull(keeping: Int)
        /// This many bytes of the answer are sent, then the connection ends.
        case partialReply(Int)
        /// These bytes are sent instead of the answer. The connection stays open.
        case garbageReply([UInt8])
    }

    /// The paths that a fault affects, as the client writes them, but with a leading slash and without a trailing
    /// one.
    ///
    /// A request on an open file has the path with which it was opened. A request with two paths matches if either
    /// does.
    public enum Path: Sendable, Equatable {
        /// This path only.
        case exactly(String)
        /// This path and everything below it.
        case below(String)
    }

    /// The effect.
    public var effect: Effect
    /// The paths that it affects; nil for all requests, including those without a path.
    public var path: Path?
    /// The operation that it affects, by its AFC name (`FILE_WRITE`); nil for all.
    public var operation: String?
    /// The number of matching requests that pass first.
    public var skipping: Int
    /// The number of matching requests after those that it affects; nil for all.
    public var times: Int?

    /// Creates a fault.
    public init(
        _ effect: Effect, path: Path? = nil, operation: String? = nil, skipping: Int = 0, times: Int? = nil
    ) {
        self.effect = effect
        self.path = path
        self.operation = operation
        self.skipping = skipping
        self.times = times
    }

    /// A fault that always answers a status code for a path.
    public static func status(_ code: UInt64, at path: Path, operation: String? = nil) -> Fault {
        Fault(.status(code), path: path, operation: operation)
    }

    /// A fault that ends the connection once, after the device has answered this many file requests.
    public static func disconnect(afterRequests count: Int) -> Fault {
        Fault(.disconnect, skipping: count, times: 1)
    }

    /// A fault that stalls from the request with this number (the first is 1) until another plan is set.
    public static func stall(atRequest number: Int) -> Fault {
        Fault(.stall, skipping: number - 1)
    }

    /// A fault that stalls from the first request for a path until another plan is set.
    public static func stall(at path: Path) -> Fault {
        Fault(.stall, path: path)
    }
}

/// The faults of a simulated device's file service.
///
/// A plan is part of `SimulatedDeviceSettings` and may be changed while the device runs: `device.update { $0.faults =
/// … }`. Setting a different plan restarts its counts and releases all connections that a fault of the former plan
/// holds. A plan without faults means that the device works normally.
public struct FaultPlan: Sendable, Equatable {
    /// The faults. All that match a request apply together; if two contradict each other, the first one applies.
    public var faults: [Fault]

    /// Ends the connection that carries the last of this many bytes, once. Requests and answers of all file
    /// connections are counted together from the moment the plan is set. Nil for never.
    public var disconnectAfterBytes: UInt64?

    /// Creates a plan with the given faults.
    public init(_ faults: [Fault] = [], disconnectAfterBytes: UInt64? = nil) {
        self.faults = faults
        self.disconnectAfterBytes = disconnectAfterBytes
    }
}
