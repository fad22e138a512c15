import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Debian's own clients accept the simulated device")
struct DebianClientTests {
    @Test("The device is listed by idevice_id")
    func listed() throws {
        try withSimulatedDevice { device in
            let result = try runProgram("idevice_id", ["-l"])
            #expect(result.status == 0)
            #expect(result.output.split(separator: "\n").contains(Substring(device.settings.udid)))
        }
    }

    @Test(
        "All values of the default domain are read by ideviceinfo", arguments: ["8.1", "9.3.5", "17.4"],
        [false, true])
    func values(version: String, usesTLS: Bool) throws {
        var settings = SimulatedDeviceSettings(iosVersion: version, usesTLS: usesTLS)
        settings.name = "Ann’s iPad & “reader”"
        try withSimulatedDevice(settings) { device in
            let result = try runProgram("ideviceinfo", ["-u", device.settings.udid])
            #expect(result.status == 0, "\(result)")
            let lines = Set(result.output.split(separator: "\n").map(String.init))
            #expect(lines.contains("DeviceName: Ann’s iPad & “reader”"))
            #expect(lines.contains("ProductVersion: \(version)"))
            #expect(lines.contains("UniqueDeviceID: \(device.settings.udid)"))
            // Only a session shows this value.
            #expect(lines.contains { $0.hasPrefix("SerialNumber: ") })
        }
    }
}
