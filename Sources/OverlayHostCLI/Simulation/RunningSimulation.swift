import FoundationEssentials
import Glibc
import OverlayHost
import SimulatedDevice

/// A simulated device that another process runs in a folder.
struct RunningSimulation {
    /// The address of its usbmuxd, in the form for `USBMUXD_SOCKET_ADDRESS`.
    let address: String
    /// The UDID of the device; other devices may use the same socket.
    let udid: String
    /// Its name; nil if its settings do not have one.
    let name: String?

    /// The file in a device's folder that contains the address while the device runs.
    static func addressFile(in home: String) -> String { home + "/usbmuxd.address" }

    /// The running device that caused `problem`, the error of starting a second device in its folder; nil for any
    /// other problem, or if no program answers at the socket.
    init?(_ home: String, _ problem: HostError) {
        guard (problem.underlying as? SimulationError)?.code == .folderInUse else { return nil }
        do {
            address = String(
                decoding: try Data(contentsOf: URL(fileURLWithPath: Self.addressFile(in: home))),
                as: UTF8.self)
            let settings = try SimulatedDeviceFile(contentsOf: URL(fileURLWithPath: home + "/device.json"))
            (udid, name) = (settings.udid ?? "", settings.name)
        } catch {
            // The device has only begun or is ending, or the folder is being copied.
            return nil
        }
        guard !udid.isEmpty, address.hasPrefix("UNIX:"), Self.answers(String(address.dropFirst(5))) else {
            return nil
        }
    }

    private static func answers(_ path: String) -> Bool {
        var name = sockaddr_un()
        let room = MemoryLayout.size(ofValue: name.sun_path)
        guard path.utf8.count < room else { return false }
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withUnsafePointer(to: name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
