import PropertyLists
import DeviceWire
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("TLS works as on a device, with and without faults")
struct TLSTests {
    @Test(
        "Hosts of every age agree with the device on a version of TLS",
        arguments: ["5.1", "9.3.5", "10.0", "17.4"])
    func versions(version: String) throws {
        try withSimulatedDevice(SimulatedDeviceSettings(iosVersion: version)) { device in
            let result = try runProgram(
                "ideviceinfo", ["-u", device.settings.udid, "-q", "com.apple.disk_usage"])
            #expect(result.status == 0, "\(result)")
            #expect(result.output.contains("TotalDiskCapacity: 64000000000"))
        }
    }

    @Test(
        "Encryption shows in the replies that announce it, session and service apart",
        arguments: [true, false])
    func announced(serviceTLS: Bool) throws {
        let own = try OwnDaemon(SimulatedDeviceSettings(usesTLS: true, serviceTLS: serviceTLS))
        let reply = try own.lockdown().askList([
            "Request": "StartSession", "HostID": .string(try own.hostID()),
        ])
        #expect(reply["EnableSessionSSL"] == true)
        // A session that began without encryption shows whether services would use it.
        try own.device.update { $0.usesTLS = false }
        let session = try own.session()
        try own.device.update { $0.usesTLS = true }
        let service = try session.askList(["Request": "StartService", "Service": "com.apple.afc"])
        #expect(service["EnableServiceSSL"] == (serviceTLS ? true : nil))
    }

    @Test(
        "A handshake that fails ends the service connection; one that is not answered lasts until the cable is pulled"
    )
    func badHandshakes() throws {
        let own = try OwnDaemon()
        let session = try own.session()
        try own.device.update {
            $0.usesTLS = true
            $0.serviceTLS = true
            $0.serviceHandshake = .fails
        }
        let start = { () throws -> MuxTestClient in
            let reply = try session.askList(["Request": "StartService", "Service": "com.apple.afc"])
            return try own.connection(
                port: try #require(reply["Port"]?.integer.flatMap { UInt16(exactly: $0) }))
        }
        #expect(try start().isEnded())
        try own.device.update { $0.serviceHandshake = .isUnanswered }
        let silent = try start()
        try silent.send([0x16, 3, 1, 0, 5])
        own.daemon.detach(own.device)
        #expect(try silent.isEnded())
    }

    @Test("Bytes that are not a handshake end the connection")
    func rubbish() throws {
        let own = try OwnDaemon(SimulatedDeviceSettings())
        let lockdown = try own.lockdown()
        _ = try lockdown.askList(["Request": "StartSession", "HostID": .string(try own.hostID())])
        try lockdown.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        // An alert may come first.
        while try !lockdown.isEnded() { _ = try lockdown.bytes(1) }
    }
}
