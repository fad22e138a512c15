import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("A locked device opens files for a computer that it was unlocked for before") struct LockedDeviceTests
{
    private static func locked(afterFirstUnlock: Bool) -> SimulatedDeviceSettings {
        var settings = SimulatedDeviceSettings.reader
        (settings.isLocked, settings.wasUnlockedSinceStart) = (true, afterFirstUnlock)
        return settings
    }

    @Test("After the first unlock every root is open, and further connections are made")
    func unlockedBefore() throws {
        var settings = Self.locked(afterFirstUnlock: true)
        settings.requestLatency = .milliseconds(1)
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let access = try session.roots(for: appID)
            #expect(access.granted == [.container, .documents, .media] && access.refused.isEmpty)
            let files = try session.open(.container(bundleID: appID))
            let results = files.pushMany(
                (0..<40).map { PushRequest(.bytes(pattern(1000)), to: "/Documents/\($0)") })
            for result in results { #expect(try result.get().size == 1000) }
            #expect(try device.documentNames().count == 40)
            #expect(try session.open(.media).list("/").isEmpty)
        }
    }

    @Test("Before the first unlock the error says so, and what to do")
    func neverUnlocked() throws {
        try withSimulatedDevice(Self.locked(afterFirstUnlock: false)) { device in
            let session = try openSession(device)
            let error = try #require(failure { try session.open(.container(bundleID: appID)) })
            #expect(error.code == .passcodeLocked && error.native?.number == -12)
            #expect(
                error.message == "The device is locked and has not been unlocked since it was turned on.")
            #expect(error.hint?.contains("once") == true)
            try device.update { $0.wasUnlockedSinceStart = true }
            #expect(try session.open(.container(bundleID: appID)).list("/Documents").isEmpty)
        }
    }

    @Test("Without an escrow bag in the pair record, the device's first answer stands")
    func withoutBag() throws {
        func error(_ number: Int32) throws -> TransportError {
            try #require(TransportError(lockdownd: number, doing: "starting a service"))
        }
        let refusal = try error(-17)
        #expect(try TransportError.locked(refusal, withBag: error(-2)) == refusal)
        #expect(try TransportError.locked(refusal, withBag: error(-35)).native?.number == -35)
        #expect(try TransportError.locked(refusal, withBag: error(-8)).code == .connectionLost)
    }
}
