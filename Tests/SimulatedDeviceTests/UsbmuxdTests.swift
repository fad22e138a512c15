import DeviceWire
import Foundation
import PropertyLists
import SimulatedDevice
import TestSupport
import Testing

@Suite("The daemon speaks usbmuxd")
struct UsbmuxdTests {
    @Test("Replies carry version 1, the plist message and the tag of the request")
    func header() throws {
        let own = try OwnDaemon()
        let client = try own.client()
        try client.send(try UsbmuxPacket(tag: 77, ["MessageType": "ReadBUID"]).encoded)
        let packet = try client.packet()
        #expect((packet.version, packet.message, packet.tag) == (1, 8, 77))
    }

    @Test("The binary dialect is answered with a result that says so")
    func binaryDialect() throws {
        let own = try OwnDaemon()
        let client = try own.client()
        try client.send(UsbmuxPacket(version: 0, message: 3, tag: 9, body: []).encoded)
        #expect(try client.packet() == UsbmuxPacket(tag: 9, binaryResult: .badVersion))
    }

    @Test("A UDID of the newer form goes over the wire without its dash")
    func newUDID() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.udid = "00008030-001A2D3E4F50802E"
        let own = try OwnDaemon(settings)
        let list = try own.client().ask(["MessageType": "ListDevices"])["DeviceList"]?.array
        #expect(list?.count == 1)
        #expect(list?.first?["Properties"]?["SerialNumber"] == "00008030001A2D3E4F50802E")
        #expect((list?.first?["DeviceID"]?.integer ?? 0) > 0)
    }

    @Test("Several requests may share a connection, and arrive glued or byte by byte")
    func framing() throws {
        let own = try OwnDaemon()
        let request = try UsbmuxPacket(tag: 3, ["MessageType": "ReadBUID"]).encoded
        let client = try own.client()
        try client.send(request + request)
        let first = try client.news()
        #expect(first["BUID"]?.string?.isEmpty == false)
        #expect(try client.news() == first)
        for byte in request { try client.send([byte]) }
        #expect(try client.news() == first)
    }

    @Test("A request cut at any length ends that connection and nothing else")
    func truncated() throws {
        let own = try OwnDaemon()
        let request = try UsbmuxPacket(tag: 3, ["MessageType": "ReadBUID"]).encoded
        for length in 0..<request.count {
            let client = try own.client()
            try client.send(Array(request.prefix(length)))
            client.endSending()
            #expect(try client.isEnded())
        }
        #expect(try own.client().ask(["MessageType": "ReadBUID"])["BUID"] != nil)
    }

    @Test("A message without an acceptable length or list ends the connection")
    func rubbish() throws {
        let own = try OwnDaemon()
        for bytes in [
            UsbmuxHeader(length: .max, version: 1, message: 8, tag: 1).encoded,
            UsbmuxHeader(length: 3, version: 1, message: 8, tag: 1).encoded,
            UsbmuxPacket(version: 1, message: 8, tag: 1, body: Array("rubbish".utf8)).encoded,
        ] {
            let client = try own.client()
            try client.send(bytes)
            #expect(try client.isEnded())
        }
    }

    @Test("An unknown device, an unknown port and an unknown request have their results")
    func refusals() throws {
        let own = try OwnDaemon()
        let client = try own.client()
        let number = try client.number(of: own.device.settings.udid)
        #expect(try client.connect(number + 1, port: 62_078) == 2)
        #expect(try client.connect(-1, port: 62_078) == 2)
        #expect(try client.connect(number, port: 4711) == 3)
        #expect(
            try client.ask(["MessageType": "Connect", "DeviceID": .integer(number), "PortNumber": 1_000_000])[
                "Number"]
                == 3)
        #expect(try client.ask(["MessageType": "Dance"])["Number"] == 1)
        #expect(try client.ask([])["Number"] == 1)
        #expect(try client.connect(number, port: 62_078) == 0)
    }

    @Test(
        "A listener is notified when a device is attached with a new number, detached or paired")
    func listening() throws {
        let own = try OwnDaemon()
        let udid = own.device.settings.udid
        let listener = try own.client()
        #expect(try listener.ask(["MessageType": "Listen"], tag: 5)["Number"] == 0)
        let attached = try listener.news()
        #expect(attached["MessageType"] == "Attached")
        #expect(attached["Properties"]?["SerialNumber"] == .string(udid))
        #expect(try own.client().ask(["MessageType": "ListListeners"])["ListenerList"]?.array?.count == 1)

        own.daemon.detach(own.device)
        #expect(try listener.news() == ["MessageType": "Detached", "DeviceID": attached["DeviceID"] ?? 0])
        #expect(try own.client().ask(["MessageType": "ListDevices"])["DeviceList"] == [])
        own.daemon.attach(own.device)
        let again = try listener.news()
        #expect(again["MessageType"] == "Attached")
        #expect(again["DeviceID"] != attached["DeviceID"])

        _ = try own.client().ask([
            "MessageType": "SavePairRecord", "PairRecordID": .string(udid),
            "PairRecordData": .data(Data([1])),
            "DeviceID": again["DeviceID"] ?? 0,
        ])
        #expect(try listener.news() == ["MessageType": "Paired", "DeviceID": again["DeviceID"] ?? 0])
    }

    @Test("Pulling the cable ends every connection to that device and to no other")
    func unplugging() throws {
        let own = try OwnDaemon()
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.udid = randomUDID()
        let other = try SimulatedDevice(
            folder: own.folder.url.appendingPathComponent("other"), settings: settings)
        own.daemon.attach(other)
        let victims = try (0..<3).map { _ in try own.lockdown() }
        let survivor = try own.client()
        #expect(try survivor.connect(try own.client().number(of: settings.udid), port: 62_078) == 0)

        own.daemon.detach(own.device)
        for victim in victims { #expect(try victim.isEnded()) }
        #expect(try survivor.askList(["Request": "QueryType"])["Type"] == "com.apple.mobile.lockdown")
    }

    @Test("Pair records are kept byte for byte, survive a restart, and can be deleted once")
    func records() throws {
        let own = try OwnDaemon()
        let content = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) })
        let save: PropertyList = [
            "MessageType": "SavePairRecord", "PairRecordID": "ABC-123", "PairRecordData": .data(content),
        ]
        #expect(try own.client().ask(save)["Number"] == 0)
        let identity = try own.client().ask(["MessageType": "ReadBUID"])
        own.daemon.stop()
        try own.daemon.start()
        let read: PropertyList = ["MessageType": "ReadPairRecord", "PairRecordID": "ABC-123"]
        let delete: PropertyList = ["MessageType": "DeletePairRecord", "PairRecordID": "ABC-123"]
        #expect(try own.client().ask(read) == ["PairRecordData": .data(content)])
        #expect(try own.client().ask(["MessageType": "ReadBUID"]) == identity)
        #expect(try own.client().ask(delete)["Number"] == 0)
        #expect(try own.client().ask(delete)["Number"] == 2)
        #expect(try own.client().ask(read)["Number"] == 2)
    }

    @Test(
        "The name of a pair record never chooses a path",
        arguments: ["../escape", "a/b", "", ".", "x\ty", "ümlaut", String(repeating: "a", count: 65)])
    func recordNames(name: String) throws {
        let own = try OwnDaemon()
        let save: PropertyList = [
            "MessageType": "SavePairRecord", "PairRecordID": .string(name),
            "PairRecordData": .data(Data([1])),
        ]
        #expect(try own.client().ask(save)["Number"] == 22)
        let read: PropertyList = ["MessageType": "ReadPairRecord", "PairRecordID": .string(name)]
        #expect(try own.client().ask(read)["Number"] == 2)
        #expect(!FileManager.default.fileExists(atPath: own.folder.path("escape.plist")))
    }

    @Test("The record of a trusted device is accepted, and a deleted one does not come back")
    func trustedRecord() throws {
        let own = try OwnDaemon()
        let hostID = try own.hostID()
        let session = try own.lockdown().askList(["Request": "StartSession", "HostID": .string(hostID)])
        #expect(session["SessionID"] != nil)
        let name = PropertyList.string(own.device.settings.udid)
        #expect(
            try own.client().ask(["MessageType": "DeletePairRecord", "PairRecordID": name])["Number"] == 0)
        #expect(try own.client().ask(["MessageType": "ReadPairRecord", "PairRecordID": name])["Number"] == 2)
    }
}
