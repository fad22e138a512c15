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
    /// A value breaks the contract and so cannot be sent, such as a list with more elements than memory has bytes.
    package static let breach = Self(rawValue: "breach")
    /// The `struct_size` of a record or sink does not fit the record.
    package static let structSize = Self(rawValue: "struct_size")
    /// The stride of a list does not fit its records.
    package static let stride = Self(rawValue: "stride")
    /// A value or message is too large to send.
    package static let tooLarge = Self(rawValue: "too_large")
    /// The system refused memory, a descriptor or the socket.
    package static let system = Self(rawValue: "system")
}

extension WorkerRPCErrorCode {
    /// The breach to report if a value could not be sent; nil if the connection has failed.
    var breach: BreachKind? {
        switch self {
        case .structSize: .structSize
        case .breach, .stride, .tooLarge: .value
        default: nil
        }
    }
}

/// The breaches of the contract that one side reports to the other.
package enum BreachKind: UInt64, Sendable {
    /// An argument or result that cannot be sent.
    case value = 0
    /// A row that cannot be sent.
    case row = 1
    /// A call of something that has ended, such as of a sink after its method has returned.
    case strayCall = 2
    /// An argument whose `struct_size` is wrong.
    case structSize = 3
}
