import Foundation
import Glibc
import SimulatedDevice

/// The one simulated daemon of a test process.
///
/// libusbmuxd reads `USBMUXD_SOCKET_ADDRESS` from the environment of the process at each connection, so all tests
/// share a daemon, and each attaches a device of its own with a UDID of its own.
public enum SharedUsbmuxd {
    /// The daemon, started at first use; the environment of the process points to it from then on.
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
