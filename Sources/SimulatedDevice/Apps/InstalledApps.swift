import FoundationEssentials
import Synchronization

extension SimulatedDevice {
    /// Creates a device whose files are in `folder`, and launches its apps. Creates the folder if it does not exist.
    ///
    /// Throws the file system's error if the folder cannot be created.
    public convenience init(folder: URL, settings: SimulatedDeviceSettings) throws {
        try self.init(folder: folder, settings: settings) { device, settings in
            try device.launchMarvins(settings)
            let isNewBehaviour = device.bibDeskBehaviour.withLock { last in
                defer { last = settings.bibDesk }
                return last != settings.bibDesk
            }
            for app in settings.apps {
                switch app.kind {
                case .goodReader:
                    try SimulatedGoodReader(device: device, bundleID: app.bundleID).launch()
                case .kindle, .reader:
                    try SimulatedReader(device: device, bundleID: app.bundleID).launch(app.kind)
                case .bibDesk(let generation):
                    let bibDesk = SimulatedBibDesk(
                        device: device, generation: generation, bundleID: app.bundleID)
                    try bibDesk.launchFirst()
                    if isNewBehaviour { try bibDesk.behave(settings.bibDesk, on: device) }
                case .marvin, .marvinInDocuments, .plain: break
                }
            }
        }
    }

    /// The running Marvin with that bundle id; nil if no such app is installed.
    public func marvin(_ bundleID: String) -> SimulatedMarvin? {
        runningApps.withLock { $0[bundleID] as? SimulatedMarvin }
    }

    /// Launches the installed apps of kind `marvin` that are not running, and closes those that are no longer
    /// installed.
    ///
    /// The apps run from the creation of the device until it is released or `stopApps` is called, whether or not the
    /// device is attached. An app that was updated to another version is closed and launched again.
    private func launchMarvins(_ settings: SimulatedDeviceSettings) throws {
        let installed = settings.apps.filter { $0.kind == .marvin || $0.kind == .marvinInDocuments }
        let gone = runningApps.withLock { running in
            let gone = running.filter { entry in
                !installed.contains { $0.bundleID == entry.key && $0.version == entry.value.version }
            }
            for id in gone.keys { running[id] = nil }
            return gone
        }
        for app in gone.values { app.stop() }
        for app in installed {
            let launched: SimulatedMarvin? = runningApps.withLock { running in
                guard running[app.bundleID] == nil else { return nil }
                let marvin = SimulatedMarvin(device: self, app: app)
                running[app.bundleID] = marvin
                return marvin
            }
            try launched?.start()
        }
    }

    /// Closes the apps, so that only hosts change the device's folder from then on.
    public func stopApps() {
        let running = runningApps.withLock { running in
            defer { running = [:] }
            return running
        }
        for app in running.values { app.stop() }
    }
}

extension SimulatedMarvin: RunningApp {
    var version: String { container.version }
}
