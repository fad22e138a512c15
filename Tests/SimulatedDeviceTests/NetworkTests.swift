import PropertyLists
import DeviceWire
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A device on the network is reached by its own address")
struct NetworkTests {
    @Test("Debian's clients find the device there and nowhere else", arguments: [true, false])
    func clients(usesTLS: Bool) throws {
        let app = SimulatedApp(bundleID: "org.example.reader", name: "Reader")
        let settings = SimulatedDeviceSettings(
            attachment: .network, iosVersion: "12.5", usesTLS: usesTLS, serviceTLS: usesTLS, apps: [app])
        try withSimulatedDevice(settings) { device in
            let udid = device.settings.udid
            #expect(device.networkFailure == nil)
            #expect(try runProgram("idevice_id", ["-n"]).output.contains(udid))
            #expect(try !runProgram("idevice_id", ["-l"]).output.contains(udid))
            let information = try runProgram("ideviceinfo", ["-n", "-u", udid, "-k", "SerialNumber"])
            #expect(information.status == 0, "\(information)")
            let list = try listOfApps(["-n", "-u", udid])
            #expect(list.output.contains("org.example.reader"), "\(list)")
        }
    }

    @Test(
        "A device with cable and network has two entries, and only the one by cable goes through the daemon")
    func both() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.attachment = .usbAndNetwork
        settings.udid = randomUDID()
        let own = try OwnDaemon(settings)
        let client = try own.client()
        let entries = try client.ask(["MessageType": "ListDevices"])["DeviceList"]?.array ?? []
        #expect(entries.map { $0["Properties"]?["ConnectionType"] } == ["USB", "Network"])
        #expect(Set(entries.map { $0["Properties"]?["SerialNumber"]?.string }) == [settings.udid])
        let address = [UInt8](entries.last?["Properties"]?["NetworkAddress"]?.data ?? Data())
        // libimobiledevice 1.3.0 expects the length first, later versions only the family.
        #expect([[16, 2, 0, 0, 127], [2, 0, 0, 0, 127]].contains(Array(address.prefix(5))))
        #expect(address.count == 16)
        #expect(try client.connect(entries.last?["DeviceID"]?.integer ?? 0, port: 62_078) == 2)
        #expect(try client.connect(entries.first?["DeviceID"]?.integer ?? 0, port: 62_078) == 0)

        let listener = try own.client()
        _ = try listener.ask(["MessageType": "Listen"])
        _ = try (listener.news(), listener.news())
        own.daemon.detach(own.device)
        #expect(try listener.news()["MessageType"] == "Detached")
        #expect(try listener.news()["MessageType"] == "Detached")
    }

    @Test("The device is found again after the daemon has been restarted")
    func restart() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.attachment = .network
        settings.udid = randomUDID()
        let own = try OwnDaemon(settings)
        own.daemon.stop()
        try own.daemon.start()
        let result = try runProgram(
            "ideviceinfo", ["-n", "-u", settings.udid, "-k", "SerialNumber"],
            environment: ["USBMUXD_SOCKET_ADDRESS": own.daemon.address])
        #expect(result.status == 0, "\(result)")
    }
}
