import Foundation
import Synchronization

extension SimulatedDevice {
    /// The running Marvin of that bundle id; nil when no such app is installed.
    public func marvin(_ bundleID: String) -> SimulatedMarvin? {
        marvins.withLock { $0[bundleID] }
    }

    /// Launches the apps of kind `marvin` that are installed and do not run, and closes those that are no longer there.
    ///
    /// They run from the making of the device on, whether it is attached or not, until it is released or `stopApps`
    /// is called. An app that was updated to another version is closed and launched again.
    func launchApps(_ settings: SimulatedDeviceSettings) throws {
        let installed = settings.apps.filter { $0.kind == .marvin || $0.kind == .marvinInDocuments }
        let gone = marvins.withLock { marvins in
            let gone = marvins.filter { entry in
                !installed.contains {
                    $0.bundleID == entry.key && $0.version == entry.value.container.version
                }
            }
            for id in gone.keys { marvins[id] = nil }
            return gone
        }
        for marvin in gone.values { marvin.stop() }
        for app in installed {
            let launched: SimulatedMarvin? = marvins.withLock { marvins in
                guard marvins[app.bundleID] == nil else { return nil }
                let marvin = SimulatedMarvin(device: self, app: app)
                marvins[app.bundleID] = marvin
                return marvin
            }
            try launched?.start()
        }
        for app in settings.apps where app.kind == .goodReader {
            try SimulatedGoodReader(device: self, bundleID: app.bundleID).launch()
        }
        for app in settings.apps where app.kind == .kindle || app.kind == .reader {
            try SimulatedReader(device: self, bundleID: app.bundleID).launch(app.kind)
        }
    }

    /// Closes the apps, so that nothing changes in the device's folder any more by itself.
    public func stopApps() {
        let running = marvins.withLock { marvins in
            defer { marvins = [:] }
            return marvins
        }
        for marvin in running.values { marvin.stop() }
    }
}
