import Diagnostics

/// The reason why a call or its answer could not be sent.
package typealias WorkerRPCError = Failure<WorkerRPCErrorCode>

/// The kind of a `WorkerRPCError`.
package struct WorkerRPCErrorCode: FailureCode {
    /// Lower case words joined by `_`.
    package let rawValue: String

    /// Creates a code from its text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The other side has ended.
    package static let closed = Self(rawValue: "closed")
    /// The other side sent something that is not a message of this protocol.
    package static let malformed = Self(rawValue: "malformed")
    /// A value breaks the contract and so cannot be sent, such as a stride smaller than a record.
    package static let breach = Self(rawValue: "breach")
    /// A value or message is too large to send.
    package static let tooLarge = Self(rawValue: "too_large")
    /// The system refused memory, a descriptor or the socket.
    package static let system = Self(rawValue: "system")
}

/// The breaches of the contract that one side reports to the other.
package enum BreachKind: UInt64, Sendable {
    /// An argument or result that cannot be sent.
    case value = 0
    /// A row that cannot be sent.
    case row = 1
    /// A call of something that has ended, such as of a sink after its method has returned.
    case strayCall = 2
}
