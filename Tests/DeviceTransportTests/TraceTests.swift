import DeviceTransport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A trace records every call that leads to the files of a device") struct TraceTests {
    /// The recorded calls, in the order in which they ended.
    private final class Heard: Sendable {
        let calls = Mutex<[DeviceTrace.Call]>([])
        var names: [String] {
            calls.withLock { $0.map { [$0.name, $0.subject].compactMap { $0 }.joined(separator: " ") } }
        }
    }

    private func traced(_ device: SimulatedDevice) throws -> (DeviceSession, Heard) {
        let heard = Heard()
        let trace = DeviceTrace { call in heard.calls.withLock { $0.append(call) } }
        let found = try DeviceCatalog(trace: trace).device(matching: device.settings.udid)
        return (try DeviceSession(found, options: DeviceSessionOptions(trace: trace)), heard)
    }

    @Test(
        "A trace names usbmuxd, lockdownd, services and their handshakes, house_arrest and installation_proxy"
    )
    func all() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let (session, heard) = try traced(device)
            let udid = device.settings.udid
            #expect(heard.names == ["usbmuxd.ListDevices", "idevice.new \(udid)"])
            _ = try session.value("ProductVersion")
            _ = try session.apps()
            _ = try session.apps(bundleIDs: [appID])
            _ = try session.open(.documents(bundleID: appID))
            let expected = [
                "lockdownd.StartSession", "lockdownd.GetValue ProductVersion",
                "lockdownd.StartService com.apple.mobile.installation_proxy",
                "idevice.connect com.apple.mobile.installation_proxy",
                "idevice.enable_ssl com.apple.mobile.installation_proxy", "installation_proxy.Browse",
                "installation_proxy.Lookup \(appID)",
                "lockdownd.StartService com.apple.mobile.house_arrest",
                "house_arrest.VendDocuments \(appID)",
            ]
            #expect(expected.filter { !heard.names.contains($0) }.isEmpty, "\(heard.names)")
            #expect(heard.calls.withLock { $0.allSatisfy { $0.failure == nil && $0.duration > .zero } })
        }
    }

    @Test("A failed call is traced with its reason")
    func failures() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.refusedServices = ["com.apple.afc": "ServiceProhibited"]
        settings.iosVersion = "9.3"
        settings.trust = .pairingPending
        try withSimulatedDevice(settings) { device in
            let (session, heard) = try traced(device)
            #expect(try session.askForTrust() == .pending)
            try device.update { $0.trust = .trusted }
            #expect(code { try session.open(.media) } == .accessRefused)
            #expect(code { try session.open(.container(bundleID: appID)) } == .accessRefused)
            func reason(_ name: String) -> TransportError.Code? {
                heard.calls.withLock { $0.last { $0.name == name && $0.failure != nil }?.failure?.code }
            }
            #expect(reason("lockdownd.Pair") == .pairingPending)
            #expect(reason("lockdownd.StartService") == .accessRefused)
            #expect(reason("house_arrest.VendContainer") == .accessRefused)
        }
    }
}
