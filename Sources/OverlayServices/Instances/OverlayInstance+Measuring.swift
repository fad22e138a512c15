import OverlayWorkers
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge
import OverlayCalls

extension OverlayInstance {
    /// Measures the time of consecutive calls of `can_handle` on the overlay's own thread: the cost of the contract
    /// without the host's thread switch and checks. For benchmarks.
    ///
    /// - Throws: the errors of a single call.
    package func timeOfSlot(calls: Int, _ device: Fingerprint) throws(HostError) -> Duration {
        guard overlay.implements(.canHandle), let function = OverlayMethod.canHandle.function else {
            throw notImplemented(.canHandle)
        }
        // Throws an error for an instance that cannot be called.
        _ = try canHandle(device)
        var spent = Duration.zero
        var failure: HostError?
        onThread {
            guard let target = currentTarget else { return }
            let (arguments, memory) = (CallArguments(), Arena())
            arguments.add(0)
            arguments.add(pointerTo: device.record(in: memory))
            var sink = ovl_presence_sink.sized()
            sink.put = { _, _ in OVL_OK }
            arguments.add(pointerTo: sink)
            arguments.add(pointerTo: sinks.error)
            defer { withExtendedLifetime((arguments, memory)) {} }
            context.frame = CallFrame(.canHandle)
            context.begin(function.name, until: nil)
            defer {
                context.end()
                context.frame = nil
            }
            do throws(WorkerFailure) {
                var word: UInt64 = 0
                let start = ContinuousClock.now
                for _ in 0..<calls { try target.call(function, arguments.values, &word) }
                spent = start.duration(to: .now)
            } catch {
                failure = error.error(overlay: name)
            }
        }
        if let failure { throw failure }
        return spent
    }
}
