import Glibc

extension DeviceSession {
    /// Waits so long, or until there is a reason not to: throws `.cancelled`, `.timedOut` at the context's deadline, and
    /// `.deviceGone` as soon as the device is unplugged.
    public func wait(for duration: Duration, _ context: OperationContext = OperationContext())
        throws(TransportError)
    {
        var nothing: [pollfd] = []
        _ = try Waiting.wait(&nothing, context, life: handle.life, until: .now.advanced(by: duration))
    }
}
