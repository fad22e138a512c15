import HostErrors
import OverlayABI

/// Watches what crosses the boundary of one instance, for programs that judge overlays instead of using them.
///
/// Called on the thread on which it happens, mostly that of the instance. Must not call the instance.
package protocol BoundaryObserver: Sendable {
    /// The overlay broke a rule that the host checks.
    ///
    /// - Parameter place: the method or service function, such as `books` or `transport.list`.
    func broke(_ breach: ContractBreach, in place: String)

    /// A record that an overlay puts into the sink of a method, before the host looks at it. `kind` is its name in the contract.
    /// It may be null or misaligned. True: the sink asks the method to stop instead of taking it.
    func receives(_ record: UnsafeRawPointer?, _ kind: StaticString) -> Bool

    /// A service function is about to be served. An error: the function fails with it instead.
    func willServe(_ function: StaticString) -> HostError?

    /// The running method has reported its progress.
    func reported()

    /// How many bytes of the table of a service an overlay gets that needs `size` of them: fewer than `size` for none, more than
    /// there are for all.
    func offers(_ service: String, _ size: UInt32) -> UInt32

    /// A method has returned this status. `errorStatus` is that of the error it put; nil if it put none.
    func returned(_ method: String, _ status: ovl_status, errorStatus: ovl_status?)
}
