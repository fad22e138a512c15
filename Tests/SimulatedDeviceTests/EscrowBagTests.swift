import Foundation
import PropertyLists
import SimulatedDevice
import TestSupport
import Testing

@Suite("A locked device starts file services for a host that presents its escrow bag")
struct EscrowBagTests {
    private func bag(_ own: OwnDaemon) throws -> Data {
        let reply = try own.client().ask([
            "MessageType": "ReadPairRecord", "PairRecordID": .string(own.device.settings.udid),
        ])
        let record = try PropertyList(parsing: try #require(reply["PairRecordData"]?.data))
        return try #require(record["EscrowBag"]?.data)
    }

    private func start(_ lockdown: MuxTestClient, _ bag: Data?, _ service: String = "com.apple.afc") throws
        -> PropertyList
    {
        var request: [String: PropertyList] = ["Request": "StartService", "Service": .string(service)]
        if let bag { request["EscrowBag"] = .data(bag) }
        return try lockdown.askList(.dictionary(request))
    }

    @Test("After the first unlock the bag of the pairing opens it, and no other", arguments: [false, true])
    func unlockedBefore(_ pairsAnew: Bool) throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        if pairsAnew { settings.trust = .neverPaired }
        let own = try OwnDaemon(settings)
        if pairsAnew {
            let pairing = try runProgram(
                "idevicepair", ["-u", settings.udid, "pair"],
                environment: ["USBMUXD_SOCKET_ADDRESS": own.daemon.address])
            #expect(pairing.status == 0, "\(pairing.output)")
        }
        try own.device.update { ($0.isLocked, $0.wasUnlockedSinceStart) = (true, true) }
        let lockdown = try own.session()
        let bag = try bag(own)
        for service in ["com.apple.afc", "com.apple.mobile.house_arrest"] {
            #expect(try start(lockdown, nil, service)["Error"] == "PasswordProtected")
            #expect(try start(lockdown, Data(bag.reversed()), service)["Error"] == "PasswordProtected")
            #expect(try start(lockdown, bag, service)["Port"] != nil)
        }
    }

    @Test("Before the first unlock the bag is answered with MissingValue")
    func neverUnlocked() throws {
        let own = try OwnDaemon()
        try own.device.update { $0.isLocked = true }
        let (lockdown, bag) = (try own.session(), try bag(own))
        #expect(try start(lockdown, nil)["Error"] == "PasswordProtected")
        #expect(try start(lockdown, bag)["Error"] == "MissingValue")
        try own.device.update { $0.isLocked = false }
        #expect(try start(lockdown, nil)["Port"] != nil)
    }
}
