import PropertyLists
import DeviceWire
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A device behind a link answers the same, but later")
struct LinkTests {
    @Test("No reply comes before the round trip has passed, and requests sent together are answered in order")
    func roundTrip() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.linkRoundTrip = .milliseconds(30)
        let own = try OwnDaemon(settings)
        let lockdown = try own.lockdown()
        let start = ContinuousClock.now
        for key in ["DeviceName", "DeviceClass", "ProductType"] {
            try lockdown.sendList(["Request": "GetValue", "Key": .string(key)])
        }
        #expect(try lockdown.list()["Value"] == "Simulated iPad")
        #expect(ContinuousClock.now - start >= .milliseconds(30))
        #expect(try lockdown.list()["Value"] == "iPad")
        #expect(try lockdown.list()["Value"] == "iPad4,2")
    }

    @Test("The time a device spends on a request passes before its reply")
    func latency() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.requestLatency = .milliseconds(20)
        let own = try OwnDaemon(settings)
        let lockdown = try own.lockdown()
        let start = ContinuousClock.now
        for _ in 0..<3 { try lockdown.sendList(["Request": "QueryType"]) }
        for _ in 0..<3 { _ = try lockdown.list() }
        #expect(ContinuousClock.now - start >= .milliseconds(60))
        // A change affects open connections.
        try own.device.update { $0.requestLatency = .zero }
        #expect(try lockdown.askList(["Request": "QueryType"])["Type"] != nil)
    }

    @Test("Large files cross a slow link unharmed, and no faster than it allows")
    func bandwidth() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.bandwidth = 20_000_000
        settings.linkRoundTrip = .milliseconds(1)
        let own = try OwnDaemon(settings)
        let content = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        try content.write(to: own.device.mediaFolder.appendingPathComponent("book"))
        let files = try own.service("com.apple.afc")
        let start = ContinuousClock.now
        #expect(try read(files, "book", UInt64(content.count)) == content)
        #expect(ContinuousClock.now - start >= .milliseconds(100))
        #expect(own.device.counters.bytesSent > 2_000_000)
    }

    @Test("Pulling the cable ends a connection whose bytes would still be under way for hours")
    func unplugging() throws {
        let own = try OwnDaemon()
        try own.device.update { $0.bandwidth = 10 }
        let lockdown = try own.lockdown()
        for _ in 0..<100 { try lockdown.sendList(["Request": "QueryType"]) }
        own.daemon.detach(own.device)
        #expect(try lockdown.isEnded())
    }

    @Test("The last request of a client that disconnects at once is still processed")
    func lastWord() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.linkRoundTrip = .milliseconds(20)
        let own = try OwnDaemon(settings)
        let observer = try own.service("com.apple.mobile.notification_proxy")
        try observer.sendList(["Command": "ObserveNotification", "Name": "word"])
        try observer.sendList(["Command": "PostNotification", "Name": "word"])
        _ = try observer.list()
        do {
            let speaker = try own.service("com.apple.mobile.notification_proxy")
            try speaker.sendList(["Command": "PostNotification", "Name": "word"])
        }
        #expect(try observer.list()["Name"] == "word")
    }

    private func read(_ client: MuxTestClient, _ path: String, _ length: UInt64) throws -> Data {
        func ask(_ request: AFCRequest, _ number: UInt64) throws -> AFCReply {
            try client.send(try request.encode(packetNumber: number))
            let header = try AFCHeader(decoding: try client.bytes(AFCHeader.size), maximumLength: 1 << 24)
            return try AFCReply.decode(header, body: try client.bytes(header.bodyLength))
        }
        guard case .handle(let handle) = try ask(.fileOpen(path: path, mode: 1), 1) else { return Data() }
        guard case .data(let bytes) = try ask(.fileRead(handle: handle, length: length), 2) else {
            return Data()
        }
        return Data(bytes)
    }
}
