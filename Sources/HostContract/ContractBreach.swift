import HostErrors
import OverlayABI

/// A breach of the contract by an overlay, described in one sentence, such as `The row index 7 is out of range.`
package struct ContractBreach: Error, Equatable, CustomStringConvertible {
    /// The broken rule. Programs use this; users read the message.
    package enum Kind: String, Sendable, CaseIterable {
        /// A rule without its own name.
        case other
        /// A required pointer is null.
        case nullPointer
        /// `struct_size` is smaller than in any version, or larger than the available space.
        case structSize
        /// The stride of a list is invalid.
        case stride
        /// A text is not UTF-8.
        case notUTF8
        /// A text, list, cover or booklist exceeds a limit.
        case limit
        /// A view is inconsistent, or a required element is absent.
        case view
        /// A book has no path.
        case bookPath
        /// Two books of a list have the same path.
        case bookTwice
        /// A value of a book is outside its range.
        case bookValue
        /// A row has the index of no item.
        case rowIndex
        /// An item has two rows.
        case rowTwice
        /// The outcome is not valid for the method, or does not match the status.
        case rowOutcome
        /// An added book has no path.
        case rowPath
        /// A fetched book does not have a file from `pull`.
        case rowFile
        /// A method succeeded without a row for an item.
        case rowMissing
        /// An edit has an unknown kind, or is about a book that does not exist or was already edited.
        case edit
        /// A single result was put twice.
        case resultTwice
        /// A single result has an unknown value.
        case resultValue
        /// A method succeeded without its result.
        case resultMissing
        /// A chunk does not begin at the end of the previous one.
        case chunk
        /// The number of bytes differs from the announced one.
        case total
        /// A value was put after the sink had asked to stop.
        case afterStop
        /// A second error was put.
        case errorTwice
        /// An error was put although the call succeeded.
        case errorOnSuccess
        /// The status of the error differs from that of the call.
        case errorStatus
        /// OVL_STOPPED was returned although no sink had asked to stop.
        case stoppedUnasked
        /// A sink or a [device] function was called on the wrong thread.
        case otherThread
        /// A sink was called after its method had returned.
        case sinkAfterReturn
        /// A [device] function was called while no method was running.
        case outsideMethod
        /// A [device] function was called during `create`.
        case withinCreate
        /// The device was used in a pure method.
        case withinPure
        /// The source was used while no sync was running.
        case outsideSync
        /// A dry run tried to change something, or reported a change.
        case dryRun
        /// A row of a plan has an unknown action, or does not name an item.
        case planRow
        /// A row of a plan was put after the first result.
        case planLate
        /// The device was used in a state without a device.
        case wrongState
        /// An argument of a service function does not match its documentation.
        case argument
        /// The overlay wrote to the standard output.
        case output
        /// A value cannot be sent between host and worker.
        case carrier
    }

    /// The broken rule.
    package let kind: Kind
    /// One complete sentence without the name of the method or function.
    package let message: String

    /// Creates a breach with a complete sentence.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The message.
    package var description: String { message }

    /// Creates the error for users, which names overlay and method.
    package func error(overlay: String, method: String, underlying: HostError? = nil) -> HostError {
        HostError(
            .contractBroken, "The overlay \(overlay) broke the contract in \(method): \(message)",
            subject: overlay, hint: "Please report this to the overlay's author.",
            underlying: underlying)
    }
}
