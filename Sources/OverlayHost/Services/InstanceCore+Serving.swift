import DeviceTransport
import OverlayABI

// What all service functions share: who may call when, and how an error crosses.

extension InstanceCore {
    /// Runs a service function and turns its error into a status and a record.
    ///
    /// - Parameter name: the function, such as `transport.list`, for messages.
    static func serve(
        _ context: UnsafeMutableRawPointer?, _ name: StaticString, _ sink: UnsafePointer<ovl_error_sink>?,
        _ body: (InstanceCore) throws(HostError) -> Void
    ) -> ovl_status {
        guard let core = from(context) else { return OVL_CONTRACT_BROKEN }
        let began = ContinuousClock.now
        do throws(HostError) {
            if let error = core.observer?.willServe(name) { throw error }
            try body(core)
            core.loggers.device.trace(
                "\(name)", metadata: ["duration": "\(ContinuousClock.now - began)"])
            return OVL_OK
        } catch {
            return core.deliver(error, name, to: sink)
        }
    }

    /// Checks that a function tagged [device] is called by the running method. Returns the method.
    @discardableResult
    func requireMethod(_ name: StaticString) throws(HostError) -> OverlayMethod {
        guard isDeviceThread else {
            throw broken(.otherThread, "\(name) was called from another thread than the method's", name)
        }
        guard let frame else { throw broken(.outsideMethod, "\(name) was called while no method runs", name) }
        guard let method = frame.method else {
            throw broken(.withinCreate, "\(name) was called within create", name)
        }
        return method
    }

    /// Checks that the transport may be used now.
    func requireTransport(_ name: StaticString) throws(HostError) {
        let method = try requireMethod(name)
        let running = running.withLock { $0 }
        guard !method.isPure else {
            throw broken(
                .withinPure, "\(name) was called within \(method.rawValue), which must not use the device",
                name)
        }
        guard running.state == .initialized || running.state == .attached else {
            throw broken(
                .wrongState, "\(name) was called while the instance is \(running.state.rawValue)", name)
        }
    }

    /// The overlay called where or when it must not.
    private func broken(_ kind: ContractBreach.Kind, _ clause: String, _ name: StaticString) -> HostError {
        misbehaved(kind, clause, in: "\(name)")
        return HostError(.wrongState, "The overlay \(overlay.id) broke the contract: \(clause).")
    }

    /// Turns a breach in the arguments of a service function into its error.
    func argument<Value>(_ name: StaticString, _ read: () throws(ContractBreach) -> Value) throws(HostError)
        -> Value
    {
        do throws(ContractBreach) {
            return try read()
        } catch {
            misbehaved(error.kind, "\(name): \(error.clause)", in: "\(name)")
            throw error.error(overlay: overlay.id, method: "\(name)")
        }
    }

    /// A sink that the overlay handed to a service function, checked.
    func sink<Sink: BoundaryRecord>(_ name: StaticString, _ pointer: UnsafePointer<Sink>) throws(HostError)
        -> Sink
    {
        try argument(name) { () throws(ContractBreach) in try Sink.read(pointer) }
    }

    /// Writes a result where the overlay wants it; null there breaks the contract.
    func write<Value>(_ name: StaticString, _ value: Value, to place: UnsafeMutablePointer<Value>)
        throws(HostError)
    {
        try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: place) != 0 else {
                throw ContractBreach(.nullPointer, "a null pointer was passed for a result")
            }
            place.pointee = value
        }
    }

    /// A text argument that must be there.
    func text(_ name: StaticString, _ pointer: UnsafePointer<ovl_text>, limit: Int = BoundaryLimits.text)
        throws(HostError) -> String
    {
        try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: pointer) != 0 else {
                throw ContractBreach(.nullPointer, "a null pointer was passed for ovl_text")
            }
            return try pointer.pointee.readRequired("text", limit: limit)
        }
    }

    /// Hands an error to the overlay; returns its status.
    func deliver(_ error: HostError, _ name: StaticString, to pointer: UnsafePointer<ovl_error_sink>?)
        -> ovl_status
    {
        let status = error.code.status
        if shouldStop, status == OVL_CANCELLED || status == OVL_TIMED_OUT { beginGrace() }
        loggers.device.trace("\(name)", metadata: ["error": "\(error)"])
        guard let pointer else { return status }
        let sink: ovl_error_sink
        do throws(ContractBreach) {
            sink = try ovl_error_sink.read(pointer)
        } catch {
            misbehaved(error.kind, "\(name): \(error.clause)", in: "\(name)")
            return OVL_CONTRACT_BROKEN
        }
        guard let put = sink.put else { return status }
        error.lend { put(sink.ctx, $0) }
        return status
    }

    /// The error of a service function whose receiver wanted no more.
    static var receiverStopped: HostError { HostError(.stopped, "The receiver asked to stop.") }
}

/// Runs an operation of the transport, with the host's error.
func transporting<Value>(_ body: () throws(TransportError) -> Value) throws(HostError) -> Value {
    do throws(TransportError) { return try body() } catch { throw HostError(error) }
}
