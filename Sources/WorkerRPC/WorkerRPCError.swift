import Diagnostics

/// Why a call could not be carried to the other side, or its answer back.
package typealias WorkerRPCError = Failure<WorkerRPCErrorCode>

/// The kind of a `WorkerRPCError`.
package struct WorkerRPCErrorCode: FailureCode {
    /// Lower case words joined by `_`.
    package let rawValue: String

    /// A code by its text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The other side has ended.
    package static let closed = Self(rawValue: "closed")
    /// The other side sent something that is not a message of this protocol.
    package static let malformed = Self(rawValue: "malformed")
    /// A value breaks the contract so that it cannot be carried, such as a stride smaller than a record.
    package static let breach = Self(rawValue: "breach")
    /// A value or message is larger than anything that is carried.
    package static let tooLarge = Self(rawValue: "too_large")
    /// The system refused memory, a descriptor or the socket.
    package static let system = Self(rawValue: "system")
}

/// The kinds of breaches of the contract that one side reports to the other.
package enum BreachKind: UInt64, Sendable {
    /// An argument or result that cannot be carried.
    case value = 0
    /// A row that cannot be carried.
    case row = 1
    /// A call of something that is over, such as of a sink after its method has returned.
    case strayCall = 2
}
