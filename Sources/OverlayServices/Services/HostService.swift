import Logging
import HostContent
import OverlayLoading
import DeviceTransport
import Diagnostics
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge

/// A service of the host. The C functions in its table find it through their `ctx`.
///
/// The table is valid as long as the service.
protocol HostService: AnyObject, Sendable {
    /// The context of the instance to which the service belongs.
    var context: InstanceContext { get }
}

extension HostService {
    /// The environment of the instance.
    var environment: InstanceEnvironment { context.environment }

    /// The `ctx` of the table.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The service of a `ctx`; nil for a null pointer.
    static func of(_ pointer: UnsafeMutableRawPointer?) -> Self? {
        pointer.map { Unmanaged<Self>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs a service function and converts its error into a status and a record.
    ///
    /// - Parameter name: the name of the function, such as `transport.list`, for messages.
    static func serve(
        _ pointer: UnsafeMutableRawPointer?, _ name: StaticString, _ sink: UnsafePointer<ovl_error_sink>?,
        _ body: (Self) throws(HostError) -> Void
    ) -> ovl_status {
        guard let service = of(pointer) else { return OVL_CONTRACT_BROKEN }
        let (began, environment) = (ContinuousClock.now, service.environment)
        do throws(HostError) {
            if let error = environment.observer?.willServe(name) { throw error }
            try body(service)
            environment.loggers.device.trace(
                "\(name)", metadata: ["duration": "\(ContinuousClock.now - began)"])
            return OVL_OK
        } catch {
            return service.deliver(error, name, to: sink)
        }
    }

    /// Checks that the running method calls a function with the tag [device], and returns the method.
    @discardableResult
    func requireMethod(_ name: StaticString) throws(HostError) -> OverlayMethod {
        guard context.isDeviceThread else {
            throw broken(.otherThread, "It was called from another thread than the method's.", name)
        }
        guard let frame = context.frame else {
            throw broken(.outsideMethod, "It was called while no method runs.", name)
        }
        guard let method = frame.method else {
            throw broken(.withinCreate, "It was called within create.", name)
        }
        return method
    }

    /// Checks that the transport may be used now.
    func requireTransport(_ name: StaticString) throws(HostError) {
        let method = try requireMethod(name)
        let running = context.running.withLock { $0 }
        guard !method.isPure else {
            throw broken(
                .withinPure, "It was called within \(method.rawValue), which must not use the device.", name)
        }
        guard running.state == .initialized || running.state == .attached else {
            throw broken(
                .wrongState, "It was called while the instance is \(running.state.rawValue).", name)
        }
    }

    /// Throws an error in a dry run.
    func requireNoDryRun(_ name: StaticString) throws(HostError) {
        guard context.frame?.source?.isDryRun == true else { return }
        throw broken(.dryRun, "It was called in a dry run, which must not change anything.", name)
    }

    /// Reports a call that is not allowed on this thread or at this time, and returns its error.
    func broken(_ kind: ContractBreach.Kind, _ message: String, _ name: StaticString) -> HostError {
        context.misbehaved(ContractBreach(kind, message), in: "\(name)")
        return HostError(
            .wrongState, "The overlay \(context.overlay.id) broke the contract in \(name): \(message)")
    }

    /// Converts a breach in the arguments of a service function into an error.
    func argument<Value>(_ name: StaticString, _ read: () throws(ContractBreach) -> Value) throws(HostError)
        -> Value
    {
        do throws(ContractBreach) {
            return try read()
        } catch {
            context.misbehaved(error, in: "\(name)")
            throw error.error(overlay: context.overlay.id, method: "\(name)")
        }
    }

    /// Checks and copies a sink of the overlay.
    func sink<Sink: ABIRecord>(_ name: StaticString, _ pointer: UnsafePointer<Sink>) throws(HostError)
        -> Sink
    {
        try argument(name) { () throws(ContractBreach) in try Sink.read(pointer) }
    }

    /// Writes a result to a place that the overlay provides. A null pointer breaks the contract.
    func write<Value>(_ name: StaticString, _ value: Value, to place: UnsafeMutablePointer<Value>)
        throws(HostError)
    {
        try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: place) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for a result.")
            }
            place.pointee = value
        }
    }

    /// Reads a text argument that must not be absent.
    func text(_ name: StaticString, _ pointer: UnsafePointer<ovl_text>, limit: Int = BoundaryLimits.text)
        throws(HostError) -> String
    {
        try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: pointer) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_text.")
            }
            return try pointer.pointee.readRequired("text", limit: limit)
        }
    }

    /// Passes an error to the overlay and returns its status.
    func deliver(_ error: HostError, _ name: StaticString, to pointer: UnsafePointer<ovl_error_sink>?)
        -> ovl_status
    {
        let status = error.code.status
        if context.shouldStop, status == OVL_CANCELLED || status == OVL_TIMED_OUT { context.beginGrace() }
        environment.loggers.device.trace("\(name)", metadata: ["error": "\(error)"])
        guard let pointer else { return status }
        let sink: ovl_error_sink
        do throws(ContractBreach) {
            sink = try ovl_error_sink.read(pointer)
        } catch {
            context.misbehaved(error, in: "\(name)")
            return OVL_CONTRACT_BROKEN
        }
        guard let put = sink.put else { return status }
        error.lend { put(sink.ctx, $0) }
        return status
    }

    /// Passes texts to a sink of the overlay.
    func put(_ texts: [String], _ name: StaticString, into pointer: UnsafePointer<ovl_text_sink>)
        throws(HostError)
    {
        let sink = try sink(name, pointer)
        guard let put = sink.put else { return }
        let memory = Arena()
        for text in texts {
            let view = memory.text(text)
            let status = withExtendedLifetime(memory) { withUnsafePointer(to: view) { put(sink.ctx, $0) } }
            guard status == OVL_OK else { throw HostError.receiverStopped }
        }
    }

    /// Throws an error if the complete command has ended.
    func checkRunning() throws(HostError) {
        try transporting { () throws(TransportError) in
            try environment.roots.device.wait(for: .zero, context.operation())
        }
    }
}

extension Failure where Code == HostErrorCode {
    /// The error of a service function if the overlay's sink asked to stop.
    static var receiverStopped: HostError { HostError(.stopped, "The receiver asked to stop.") }

    /// The error of a batch with missing results.
    static func missingRows(_ name: StaticString) -> HostError {
        HostError(.protocolError, "\(name) did not return a result for every item.")
    }
}

/// Runs an operation of the transport, and converts its error.
package func transporting<Value>(_ body: () throws(TransportError) -> Value) throws(HostError) -> Value {
    do throws(TransportError) { return try body() } catch { throw HostError(error) }
}

extension [UInt8] {
    /// Lends a view of the bytes that is not null, even if there are no bytes.
    func lend(_ body: (UnsafePointer<ovl_bytes>) -> ovl_status) -> ovl_status {
        withUnsafeBufferPointer { buffer in
            var nothing: UInt8 = 0
            return withUnsafePointer(to: &nothing) { empty in
                withUnsafePointer(
                    to: ovl_bytes(
                        data: buffer.isEmpty ? empty : buffer.baseAddress, size: UInt64(buffer.count)), body)
            }
        }
    }
}
