import Foundation
import PropertyLists
import SimulatedDevice
import TestSupport
import Testing

@Suite("Pairing follows what the user does on the device")
struct PairingTests {
    @Test(
        "Pairing, validating and unpairing work with idevicepair", arguments: [true, false], ["8.1", "17.4"])
    func tool(usesTLS: Bool, version: String) throws {
        let settings = SimulatedDeviceSettings(
            iosVersion: version, trust: .neverPaired, usesTLS: usesTLS, serviceTLS: usesTLS)
        try withSimulatedDevice(settings) { device in
            let udid = device.settings.udid
            let pair = try runProgram("idevicepair", ["-u", udid, "pair"])
            #expect(pair.output == "SUCCESS: Paired with device \(udid)\n")
            #expect(device.settings.trust == .trusted)
            let validate = try runProgram("idevicepair", ["-u", udid, "validate"])
            #expect(validate.output == "SUCCESS: Validated pairing with device \(udid)\n")
            let information = try runProgram("ideviceinfo", ["-u", udid, "-k", "SerialNumber"])
            #expect(information.status == 0)
            let unpair = try runProgram("idevicepair", ["-u", udid, "unpair"])
            #expect(unpair.output == "SUCCESS: Unpaired with device \(udid)\n")
            #expect(device.settings.trust == .neverPaired)
        }
    }

    @Test("A device that was trusted from the start validates", arguments: [true, false])
    func trusted(usesTLS: Bool) throws {
        try withSimulatedDevice(SimulatedDeviceSettings(usesTLS: usesTLS)) { device in
            let udid = device.settings.udid
            let result = try runProgram("idevicepair", ["-u", udid, "validate"])
            #expect(result.output == "SUCCESS: Validated pairing with device \(udid)\n")
        }
    }

    @Test(
        "The error of idevicepair names the obstacle",
        arguments: [
            (DeviceTrust.pairingPending, false, "Please accept the trust dialog"),
            (.denied, false, "user denied the trust dialog"), (.neverPaired, true, "a passcode is set"),
        ])
    func obstacles(trust: DeviceTrust, isLocked: Bool, message: String) throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.trust = trust
        settings.isLocked = isLocked
        try withSimulatedDevice(settings) { device in
            let result = try runProgram("idevicepair", ["-u", device.settings.udid, "pair"])
            #expect(result.status != 0)
            #expect(result.output.contains(message), "\(result.output)")
        }
    }

    @Test("When the dialog is answered, the next attempt succeeds")
    func answered() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.trust = .pairingPending
        try withSimulatedDevice(settings) { device in
            let arguments = ["-u", device.settings.udid, "pair"]
            #expect(try runProgram("idevicepair", arguments).status != 0)
            try device.update { $0.trust = .neverPaired }
            #expect(try runProgram("idevicepair", arguments).status == 0)
        }
    }

    @Test("A device that forgets its hosts refuses the record, and honours a new one when it trusts again")
    func forgotten() throws {
        let own = try OwnDaemon()
        let old = PropertyList.string(try own.hostID())
        let start = { (host: PropertyList) in
            try own.lockdown().askList(["Request": "StartSession", "HostID": host])
        }
        #expect(try start(old)["SessionID"] != nil)
        try own.device.update { $0.trust = .neverPaired }
        #expect(try .string(own.hostID()) == old)
        #expect(try start(old)["Error"] == "InvalidHostID")
        try own.device.update { $0.trust = .trusted }
        let new = PropertyList.string(try own.hostID())
        #expect(new != old)
        #expect(try start(new)["SessionID"] != nil)
        #expect(try start(old)["Error"] == "InvalidHostID")
    }

    @Test(
        "A pairing survives the end of device and daemon, and without the daemon's record there is a new one")
    func persistent() throws {
        let folder = try TemporaryFolder()
        var hosts: [String] = []
        for records in ["records", "records", "others"] {
            let daemon = SimulatedUsbmuxd(
                socketPath: folder.path("mux"), recordsFolder: folder.url.appendingPathComponent(records))
            try daemon.start()
            defer { daemon.stop() }
            let device = try SimulatedDevice(
                folder: folder.url.appendingPathComponent("device"), settings: SimulatedDeviceSettings())
            daemon.attach(device)
            let reply = try MuxTestClient(daemon.socketPath).ask([
                "MessageType": "ReadPairRecord", "PairRecordID": .string(device.settings.udid),
            ])
            let record = try PropertyList(parsing: try #require(reply["PairRecordData"]?.data))
            hosts.append(try #require(record["HostID"]?.string))
            let result = try runProgram(
                "ideviceinfo", ["-u", device.settings.udid, "-k", "SerialNumber"],
                environment: ["USBMUXD_SOCKET_ADDRESS": daemon.address])
            #expect(result.status == 0, "\(result)")
        }
        #expect(hosts[0] == hosts[1])
        #expect(hosts[0] != hosts[2])
    }

    @Test("A pair record without its parts, or for another device's key, is refused")
    func badRecords() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.trust = .neverPaired
        let own = try OwnDaemon(settings)
        let lockdown = try own.lockdown()
        #expect(try lockdown.askList(["Request": "Pair"])["Error"] == "MissingPairRecord")
        #expect(try lockdown.askList(["Request": "Pair", "PairRecord": []])["Error"] == "MissingHostID")
        #expect(
            try lockdown.askList(["Request": "Pair", "PairRecord": ["HostID": "x"]])["Error"]
                == "InvalidPairRecord")
        let rubbish = PropertyList.data(Data("-----BEGIN CERTIFICATE-----".utf8))
        let record: PropertyList = [
            "HostID": "x", "DeviceCertificate": rubbish, "HostCertificate": rubbish,
            "RootCertificate": rubbish,
        ]
        #expect(
            try lockdown.askList(["Request": "Pair", "PairRecord": record])["Error"] == "InvalidPairRecord")
        #expect(own.device.settings.trust == .neverPaired)
        #expect(
            try lockdown.askList(["Request": "ValidatePair", "PairRecord": ["HostID": "x"]])["Error"]
                == "InvalidHostID")
    }
}
