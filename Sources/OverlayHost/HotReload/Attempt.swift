import DeviceTransport

/// Something that is ended by a cancel, and by a new build that ends the run in which it began.
final class Attempt: Sendable {
    /// Set by either, as long as the attempt is kept.
    let cancellation: Cancellation
    private let registrations: [Cancellation.Registration]

    /// - Parameter hotReload: that of the run that goes on; nil where no new build is waited for.
    init(_ cancellation: Cancellation, _ hotReload: HotReload?) {
        guard let hotReload else {
            self.cancellation = cancellation
            registrations = []
            return
        }
        let either = Cancellation()
        self.cancellation = either
        registrations = [
            cancellation.whenCancelled { either.cancel() }, hotReload.whenTakenOver { either.cancel() },
        ]
    }

    /// Throws `cancelled` once it is to end.
    func check() throws(HostError) {
        if cancellation.isCancelled { throw HostError(.cancelled, "The command was cancelled.") }
    }
}

extension SessionRequest {
    /// Something of this session that is neither a method nor within one.
    func attempt() -> Attempt { Attempt(cancellation, hotReload) }
}
