import HostErrors
import OverlayABI

/// Observes the calls between host and overlay for one instance, in programs that check overlays instead of using
/// them.
///
/// Called on the thread of the event, which is usually that of the instance. Must not call the instance.
package protocol BoundaryObserver: Sendable {
    /// The overlay broke a rule that the host checks.
    ///
    /// - Parameter place: the method or service function, such as `books` or `transport.list`.
    func broke(_ breach: ContractBreach, in place: String)

    /// Receives a record that an overlay puts into the sink of a method, before the host reads it. `kind` is its name
    /// in the contract. It may be null or misaligned. Return true to ask the method to stop instead of accepting the
    /// record.
    func receives(_ record: UnsafeRawPointer?, _ kind: StaticString) -> Bool

    /// Called before a service function runs. Return an error to let the function fail.
    func willServe(_ function: StaticString) -> HostError?

    /// The running method has reported its progress.
    func reported()

    /// The number of bytes of a service's table for an overlay that needs `size` of them. Return less than `size` to
    /// provide no table, and more than exist to provide the complete table.
    func offers(_ service: String, _ size: UInt32) -> UInt32

    /// A method has returned this status. `errorStatus` is that of its error; nil if there was none.
    func returned(_ method: String, _ status: ovl_status, errorStatus: ovl_status?)
}
