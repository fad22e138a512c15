import OverlayABI

extension ovl_methods {
    /// Fills the slots about the life of an instance, which every overlay has.
    mutating func fillLifeSlots() {
        initialize = { instance, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                try instance.overlay.initialize()
            }
        }
        shutdown = { instance, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                try instance.overlay.shutdown()
            }
        }
    }

    /// Fills the slots about devices that `type` implements.
    mutating func fillDeviceSlots(_ type: any Overlay.Type) {
        if type is any ChecksUSB.Type { fillIsUSBConnected() }
        if type is any ChecksPresence.Type { fillCanHandle() }
        if type is any Ejects.Type {
            eject = { instance, error in
                Instance.run(instance, error) { (instance) throws(OverlayError) in
                    try Instance.capability(instance.ejects).eject()
                }
            }
        }
        if type is any CleansUpAfterYank.Type {
            post_yank_cleanup = { instance, error in
                Instance.run(instance, error) { (instance) throws(OverlayError) in
                    try Instance.capability(instance.cleansUpAfterYank).postYankCleanup()
                }
            }
        }
    }

    private mutating func fillIsUSBConnected() {
        is_usb_connected = { instance, devices, presenceOnly, index, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                guard let index = UnsafeMutablePointer<Int64>(bitPattern: UInt(bitPattern: index)) else {
                    throw .contractBroken("A null pointer for the index was passed.")
                }
                index.pointee = -1
                let fingerprints = try requiredView(devices).map(ovl_fingerprint.self, "devices") {
                    (record) throws(OverlayError) in try Fingerprint(record)
                }
                let found = try Instance.capability(instance.checksUSB)
                    .isUSBConnected(fingerprints, presenceOnly: presenceOnly != 0)
                guard let found else { return }
                guard fingerprints.indices.contains(found) else {
                    throw OverlayError(.failed, "The overlay chose device \(found) of \(fingerprints.count).")
                }
                index.pointee = Int64(found)
            }
        }
    }

    private mutating func fillCanHandle() {
        can_handle = { instance, device, answer, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let fingerprint = try Fingerprint(ovl_fingerprint.copy(required: device))
                let sink = try ForeignPresenceSink(answer)
                try sink.put(Instance.capability(instance.checksPresence).canHandle(fingerprint))
            }
        }
    }
}
