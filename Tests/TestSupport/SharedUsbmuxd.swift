import Foundation
import Glibc
import SimulatedDevice

/// The only simulated daemon of a test process.
///
/// libusbmuxd reads `USBMUXD_SOCKET_ADDRESS` from the environment of the process at each connection, so all tests
/// share a daemon, and each attaches its own device with its own UDID.
public enum SharedUsbmuxd {
    /// The daemon, which is started at first use. The environment of the process then points to it.
    public static let daemon: SimulatedUsbmuxd = {
        do {
            let folder = ProcessFolder.newURL()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let daemon = SimulatedUsbmuxd(socketPath: folder.appendingPathComponent("usbmuxd").path)
            try daemon.start()
            setenv("USBMUXD_SOCKET_ADDRESS", daemon.address, 1)
            atexit { SharedUsbmuxd.daemon.stop() }
            return daemon
        } catch {
            fatalError("the simulated daemon of the tests does not start: \(error)")
        }
    }()
}
