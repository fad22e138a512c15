extension SimulatedDeviceFile {
    /// Changes a device that runs to what the file states: its settings, and whether and how it is attached to `daemon`.
    ///
    /// What hosts change as well, the name and the trust, is only changed where the file states something else than `previous`,
    /// the file as it was before. Throws `SimulatedDeviceFileError` for a value that means nothing, before anything is changed,
    /// and the file system's error when folders of new apps cannot be made.
    public func apply(
        to device: SimulatedDevice, at daemon: SimulatedUsbmuxd, since previous: SimulatedDeviceFile? = nil
    ) throws {
        let old = device.settings
        var changed = old
        try apply(to: &changed)
        try device.update { settings in
            let (name, trust) = (settings.name, settings.trust)
            settings = changed
            if let previous, previous.name == self.name { settings.name = name }
            if let previous, previous.trust == self.trust { settings.trust = trust }
        }
        let isAttached = daemon.isAttached(device)
        let isWanted = attached ?? isAttached
        if isAttached, !isWanted {
            daemon.detach(device)
        } else if isWanted, !isAttached || changed.attachment != old.attachment {
            daemon.attach(device)
        }
    }
}
