import HostErrors
import OverlayABI

/// What an overlay did that the contract does not allow, in one sentence, such as `The row index 7 is out of range.`
package struct ContractBreach: Error, Equatable, CustomStringConvertible {
    /// Which rule of the boundary was broken; programs go by this, people read the message.
    package enum Kind: String, Sendable, CaseIterable {
        /// No rule has its own name for it.
        case other
        /// A pointer that must lead somewhere is null.
        case nullPointer
        /// `struct_size` is smaller than any version's record, or larger than its room.
        case structSize
        /// The stride of a list cannot be one.
        case stride
        /// A text holds other bytes than UTF-8.
        case notUTF8
        /// A text, list, cover or booklist passes a limit.
        case limit
        /// A view contradicts itself, or something in it is absent that must be there.
        case view
        /// A book has no path.
        case bookPath
        /// Two books of a list have one path.
        case bookTwice
        /// A value of a book is outside its range.
        case bookValue
        /// A row is about no item.
        case rowIndex
        /// An item has two rows.
        case rowTwice
        /// The outcome is not valid for the method, or contradicts the status.
        case rowOutcome
        /// An added book has no path.
        case rowPath
        /// A fetched book has no file that `pull` gave.
        case rowFile
        /// Success left an item without a row.
        case rowMissing
        /// An edit of no kind, about no book, or about one that is edited already.
        case edit
        /// A single result came twice.
        case resultTwice
        /// A single result has a value that does not exist.
        case resultValue
        /// Success came without the result.
        case resultMissing
        /// A chunk does not begin where the one before it ended.
        case chunk
        /// More or fewer bytes came than were announced.
        case total
        /// Something was put after the sink had asked to stop.
        case afterStop
        /// A second error was put.
        case errorTwice
        /// An error was put and the call succeeded.
        case errorOnSuccess
        /// The error's status differs from the call's.
        case errorStatus
        /// OVL_STOPPED was returned although no sink had asked to stop.
        case stoppedUnasked
        /// A sink or a [device] function was called on another thread.
        case otherThread
        /// A sink was called after its method had returned.
        case sinkAfterReturn
        /// A [device] function was called while no method ran.
        case outsideMethod
        /// A [device] function was called within `create`.
        case withinCreate
        /// The device was asked for within a pure method.
        case withinPure
        /// The source was asked for while no sync ran.
        case outsideSync
        /// Something was to be changed, or reported as done, in a dry run.
        case dryRun
        /// A row of a plan has an action that does not exist, or names nothing.
        case planRow
        /// A row of a plan came after the first result.
        case planLate
        /// The device was asked for in a state without one.
        case wrongState
        /// An argument of a service function is outside what it documents.
        case argument
        /// Something was written to the standard output.
        case output
        /// The carrier between host and worker refuses a value.
        case carrier
    }

    /// Which rule.
    package let kind: Kind
    /// One full sentence that does not name the method or function.
    package let message: String

    /// A breach, in a full sentence.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The message.
    package var description: String { message }

    /// The error a person sees, naming overlay and method.
    package func error(overlay: String, method: String, underlying: HostError? = nil) -> HostError {
        HostError(
            .contractBroken, "The overlay \(overlay) broke the contract in \(method): \(message)",
            subject: overlay, hint: "Please report this to the overlay's author.",
            underlying: underlying)
    }
}
