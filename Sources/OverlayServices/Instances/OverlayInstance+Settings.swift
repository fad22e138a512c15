import OverlayCalls
import OverlayLoading
import OverlayBridge
import HostContract
import HostErrors
import OverlayABI

extension OverlayInstance {
    /// The abilities for the current device and app. For an overlay without `settings`, those in its descriptor.
    package func settings() throws(HostError) -> AppAbilities {
        let descriptor = overlay.descriptor
        guard overlay.implements(.settings) else { return AppAbilities(descriptor) }
        let frame = CallFrame(.settings)
        let collector = SettingsCollector(descriptor)
        frame.settings = collector
        try perform(.settings, frame) { call, _ in
            call.add(pointerTo: sinks.settings)
        } check: { () throws(ContractBreach) in
            if collector.settings == nil { throw Self.noSettings }
        }.check()
        guard let settings = collector.settings else {
            throw Self.noSettings.error(overlay: name, method: "settings")
        }
        return settings
    }

    private static let noSettings = ContractBreach(.resultMissing, "It succeeded without settings.")

    /// Runs a command of the reader app and returns its answer, which may be empty.
    ///
    /// Only for development mode. The caller must check this.
    package func perform(_ command: String, parameters: [(String, String)] = [], paths: [String] = [])
        throws(HostError) -> [UInt8]
    {
        guard overlay.implements(.perform) else { throw notImplemented(.perform) }
        let frame = CallFrame(.perform)
        var answer: [UInt8] = []
        let collector = BytesCollector { bytes in
            guard bytes.count <= BoundaryLimits.answer - answer.count else {
                throw HostError(
                    .damaged, "The command returned more than \(BoundaryLimits.answer) bytes.",
                    subject: command)
            }
            answer.append(contentsOf: bytes)
        }
        frame.bytes = collector
        let outcome = perform(.perform, frame) { call, memory in
            call.add(pointerTo: memory.text(command))
            call.add(
                pointerTo: memory.list(parameters) { key, value in
                    var record = ovl_pair.sized()
                    record.key = memory.text(key)
                    record.value = memory.text(value)
                    return record
                })
            call.add(pointerTo: memory.texts(paths))
            call.add(pointerTo: sinks.bytes)
        } check: { () throws(ContractBreach) in
            try collector.checkComplete()
        }
        if let failure = collector.failure as? HostError { throw failure }
        try outcome.check()
        return answer
    }
}
