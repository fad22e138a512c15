import Diagnostics
import Foundation
import PropertyLists
import SimulatedDevice
import TestSupport
import Testing

@Suite("The settings file has a switch for everything, also while the device runs")
struct DeviceFileTests {
    private func file(_ json: String) throws -> SimulatedDeviceFile {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("device.json")
        try Data(json.utf8).write(to: url)
        return try SimulatedDeviceFile(contentsOf: url)
    }

    private func idevices(_ option: String, _ daemon: SimulatedUsbmuxd) throws -> [String] {
        let result = try runProgram(
            "idevice_id", [option], environment: ["USBMUXD_SOCKET_ADDRESS": daemon.address])
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test("Settings read from the written file equal the original settings")
    func roundTrip() throws {
        var rules = FileRules()
        rules.names = .decomposed
        rules.openFileLimit = 2
        rules.refusesExistingFolders = true
        rules.renameReplaces = false
        rules.folderOntoFileStatus = 8
        rules.hasWritableContainerRoot = false
        rules.foldersWithUndecodableNames = ["/Documents"]
        let settings = SimulatedDeviceSettings(
            udid: randomUDID(), attachment: .usbAndNetwork, name: "n", productType: "iPad7,11",
            iosVersion: "12.5.7", isLocked: true, wasUnlockedSinceStart: true, trust: .denied, usesTLS: false,
            serviceTLS: false,
            apps: [SimulatedApp(bundleID: "a.b", name: "A", fileSharing: false, kind: .marvin)],
            totalBytes: 9, freeBytes: 8, requestLatency: .milliseconds(7), linkRoundTrip: .milliseconds(6),
            bandwidth: 5, connectionLimit: 4,
            refusedServices: ["com.apple.mobile.house_arrest": "ServiceProhibited"],
            serviceHandshake: .isUnanswered, lockdownIdleLimit: .milliseconds(3), fileRules: rules)
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("device.json")
        try SimulatedDeviceFile(settings).write(to: url)
        var others = SimulatedDeviceSettings()
        try SimulatedDeviceFile(contentsOf: url).apply(to: &others)
        #expect(others == settings)
    }

    @Test("A cable that is pulled and plugged in again is seen by other programs")
    func cable() throws {
        let own = try OwnDaemon()
        let udid = own.device.settings.udid
        #expect(try idevices("-l", own.daemon) == [udid])
        try file(#"{"attached": false}"#).apply(to: own.device, at: own.daemon)
        #expect(try idevices("-l", own.daemon).isEmpty)
        // A file without a value for the cable leaves it unchanged.
        try file(#"{"name": "Ann's"}"#).apply(to: own.device, at: own.daemon)
        #expect(try idevices("-l", own.daemon).isEmpty)
        try file(#"{"attached": true}"#).apply(to: own.device, at: own.daemon)
        #expect(try idevices("-l", own.daemon) == [udid])
    }

    @Test("A device that leaves its cable for the network is listed there")
    func network() throws {
        let own = try OwnDaemon(
            SimulatedDeviceSettings(udid: randomUDID(), usesTLS: false, serviceTLS: false))
        let udid = own.device.settings.udid
        try file(#"{"connection": "network"}"#).apply(to: own.device, at: own.daemon)
        #expect(try idevices("-l", own.daemon).isEmpty)
        #expect(try idevices("-n", own.daemon) == [udid])
        try file(#"{"connection": "usb"}"#).apply(to: own.device, at: own.daemon)
        #expect(try idevices("-l", own.daemon) == [udid])
        #expect(try idevices("-n", own.daemon).isEmpty)
    }

    @Test("A connection that goes on is not cut by a change of something else")
    func keepsConnections() throws {
        let own = try OwnDaemon()
        let lockdown = try own.session()
        let written = SimulatedDeviceFile(own.device.settings)
        var changed = written
        changed.freeBytes = 5
        try changed.apply(to: own.device, at: own.daemon, since: written)
        #expect(try lockdown.askList(["Request": "QueryType"])["Type"]?.string != nil)
    }

    @Test("A service that is refused and one whose handshake fails can be switched on and off")
    func services() throws {
        let own = try OwnDaemon()
        let start: PropertyList = ["Request": "StartService", "Service": "com.apple.afc"]
        let session = try own.session()
        try file(
            #"{"refused_services": {"com.apple.afc": "ServiceProhibited"}, "service_handshake": "fails"}"#
        )
        .apply(to: own.device, at: own.daemon)
        #expect(own.device.settings.serviceHandshake == .fails)
        #expect(try session.askList(start)["Error"]?.string == "ServiceProhibited")
        try file(#"{"refused_services": {}, "service_handshake": "works"}"#)
            .apply(to: own.device, at: own.daemon)
        #expect(own.device.settings.serviceHandshake == .works)
        #expect(try session.askList(start)["Port"]?.integer != nil)
    }

    @Test("A host that has paired is not forgotten because something else is edited")
    func pairing() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.trust = .neverPaired
        let own = try OwnDaemon(settings)
        let written = SimulatedDeviceFile(own.device.settings)
        try own.device.update { $0.trust = .trusted }
        var edited = written
        edited.locked = true
        try edited.apply(to: own.device, at: own.daemon, since: written)
        #expect(own.device.settings.trust == .trusted && own.device.settings.isLocked)
        var denied = edited
        denied.trust = "denied"
        try denied.apply(to: own.device, at: own.daemon, since: edited)
        #expect(own.device.settings.trust == .denied)
    }

    @Test(
        "A setting without meaning is reported with the allowed values, and nothing is changed",
        arguments: [
            (#"{"name": "x", "connection": "bluetooth"}"#, "connection", "usbAndNetwork"),
            (#"{"name": "x", "service_handshake": "slow"}"#, "service_handshake", "isUnanswered"),
            (#"{"name": "x", "lockdown_idle_limit": -1}"#, "lockdown_idle_limit", "3600000"),
            (#"{"name": "x", "file_names": "composed"}"#, "file_names", "decomposed"),
            (
                #"{"name": "x", "folder_onto_file_status": 0}"#, "folder_onto_file_status",
                "other than success"
            ),
        ])
    func wrong(json: String, member: String, choice: String) throws {
        let own = try OwnDaemon()
        let file = try file(json)
        let error = #expect(throws: SimulatedDeviceFileError.self) {
            try file.apply(to: own.device, at: own.daemon)
        }
        #expect(error?.member == member && error?.message.contains(choice) == true)
        #expect(own.device.settings.name != "x")
    }
}

@Suite("Idle connections are ended by lockdownd, as on real devices")
struct LockdownIdleTests {
    @Test("The connection ends when nothing comes, and not while requests do", arguments: [false, true])
    func idle(withSession: Bool) throws {
        let own = try OwnDaemon()
        let lockdown = withSession ? try own.session() : try own.lockdown()
        #expect(try lockdown.askList(["Request": "QueryType"])["Type"] != nil)
        try own.device.update { $0.lockdownIdleLimit = .milliseconds(1) }
        #expect(try lockdown.isEnded())
        #expect(own.device.counters.idleConnectionsEnded == 1)
        try own.device.update { $0.lockdownIdleLimit = .seconds(60) }
        #expect(try own.lockdown().askList(["Request": "QueryType"])["Type"] != nil)
    }
}
