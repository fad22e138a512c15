import Foundation
import PropertyLists
import SimulatedDevice
import TestSupport

/// A daemon with one device, for tests that use it without libimobiledevice and may stop it.
final class OwnDaemon {
    let folder: TemporaryFolder
    let daemon: SimulatedUsbmuxd
    let device: SimulatedDevice

    init(_ settings: SimulatedDeviceSettings = .withoutTLS) throws {
        folder = try TemporaryFolder()
        daemon = SimulatedUsbmuxd(socketPath: folder.path("mux"))
        device = try SimulatedDevice(
            folder: folder.url.appendingPathComponent("device", isDirectory: true), settings: settings)
        try daemon.start()
        daemon.attach(device)
    }

    deinit {
        daemon.stop()
        device.stopApps()
    }

    func client() throws -> MuxTestClient { try MuxTestClient(daemon.socketPath) }

    /// A connection to a port of the device.
    func connection(port: UInt16) throws -> MuxTestClient {
        let client = try client()
        let number = try client.number(of: device.settings.udid)
        let result = try client.connect(number, port: port)
        guard result == 0 else {
            throw MuxTestClient.Failure(message: "port \(port): \(String(describing: result))")
        }
        return client
    }

    func lockdown() throws -> MuxTestClient { try connection(port: 62_078) }

    /// The HostID of the daemon's pair record.
    func hostID() throws -> String {
        let reply = try client().ask([
            "MessageType": "ReadPairRecord", "PairRecordID": .string(device.settings.udid),
        ])
        guard let data = reply["PairRecordData"]?.data,
            let host = try PropertyList(parsing: data)["HostID"]?.string
        else { throw MuxTestClient.Failure(message: "no pair record") }
        return host
    }

    /// A lockdown connection with a session.
    func session() throws -> MuxTestClient {
        let lockdown = try lockdown()
        let reply = try lockdown.askList(["Request": "StartSession", "HostID": .string(try hostID())])
        guard reply["SessionID"] != nil else { throw MuxTestClient.Failure(message: "\(reply)") }
        return lockdown
    }

    /// A connection to a service.
    func service(_ name: String) throws -> MuxTestClient {
        let reply = try session().askList(["Request": "StartService", "Service": .string(name)])
        guard let port = reply["Port"]?.integer.flatMap({ UInt16(exactly: $0) }) else {
            throw MuxTestClient.Failure(message: "\(reply)")
        }
        return try connection(port: port)
    }
}
