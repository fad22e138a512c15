import OverlayABI

extension OverlayInstance {
    /// How long `calls` calls of `can_handle` take straight through the function pointer of the overlay, one after the
    /// other on its own thread: what the contract costs without the host's hop and checks. For benchmarks.
    ///
    /// - Throws: what a single call would.
    package func timeOfSlot(calls: Int, _ device: DeviceFingerprint) throws(HostError) -> Duration {
        guard let slot = overlay.methods.can_handle else { throw notImplemented(.canHandle) }
        let memory = CallMemory()
        let fingerprint = memory.fingerprint(device)
        var sink = ovl_presence_sink.sized()
        sink.put = { _, _ in OVL_OK }
        var spent = Duration.zero
        try perform(.canHandle, CallFrame(.canHandle)) { instance, error in
            withExtendedLifetime(memory) {
                withUnsafePointer(to: fingerprint) { fingerprint in
                    withUnsafePointer(to: sink) { sink in
                        var status = OVL_OK
                        let start = ContinuousClock.now
                        for _ in 0..<calls where status == OVL_OK {
                            status = slot(instance, fingerprint, sink, error)
                        }
                        spent = start.duration(to: .now)
                        return status
                    }
                }
            }
        }.check()
        return spent
    }
}
