import OverlayABI

extension OverlayInstance {
    /// What can be done with the device and app at hand; what the descriptor says for an overlay without `settings`.
    package func settings() throws(HostError) -> OverlaySettings {
        let descriptor = overlay.descriptor
        guard let slot = overlay.methods.settings else { return OverlaySettings(descriptor) }
        let frame = CallFrame(.settings)
        let collector = SettingsCollector(descriptor)
        frame.settings = collector
        let sink = core.settingsSink()
        try perform(.settings, frame) { instance, error in
            let status = withUnsafePointer(to: sink) { slot(instance, $0, error) }
            if status == OVL_OK, collector.settings == nil {
                frame.note(ContractBreach(.resultMissing, "it succeeded without settings"))
            }
            return status
        }.check()
        guard let settings = collector.settings else {
            throw ContractBreach(.resultMissing, "it succeeded without settings").error(
                overlay: name, method: "settings")
        }
        return settings
    }

    /// Performs a command of the reader app and returns what it answered, which may be nothing.
    ///
    /// Only for development mode, which the caller checks.
    package func perform(_ command: String, parameters: [(String, String)] = [], paths: [String] = [])
        throws(HostError) -> [UInt8]
    {
        guard let slot = overlay.methods.perform else { throw notImplemented(.perform) }
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
        let memory = CallMemory()
        let name = memory.text(command)
        let pairs = memory.list(parameters) { key, value in
            var record = ovl_pair.sized()
            record.key = memory.text(key)
            record.value = memory.text(value)
            return record
        }
        let texts = memory.texts(paths)
        let sink = core.bytesSink()
        let outcome = perform(.perform, frame) { instance, error in
            let status = withExtendedLifetime(memory) {
                withUnsafePointer(to: name) { name in
                    withUnsafePointer(to: pairs) { pairs in
                        withUnsafePointer(to: texts) { texts in
                            withUnsafePointer(to: sink) { slot(instance, name, pairs, texts, $0, error) }
                        }
                    }
                }
            }
            if status == OVL_OK {
                do throws(ContractBreach) { try collector.checkComplete() } catch { frame.note(error) }
            }
            return status
        }
        if let failure = collector.failure as? HostError { throw failure }
        try outcome.check()
        return answer
    }
}
