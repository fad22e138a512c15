import OverlayBridge
import Testing

@testable import OverlayHost

@Suite("A connection to a reader app remembers only an eject")
struct ReaderConnectionTests {
    private static let udid = "0123456789abcdef0123456789abcdef01234567"

    private func connection(_ observations: ReaderConnection.Observation...) -> ReaderConnection {
        var connection = ReaderConnection(udid: Self.udid)
        for observation in observations { _ = connection.observe(observation) }
        return connection
    }

    private static let here = ReaderConnection.Observation.devices([udid])
    private static let gone = ReaderConnection.Observation.devices([])
    private static let yes = ReaderConnection.Observation.answer(.yes())
    private static func no(_ reason: Presence.Reason) -> ReaderConnection.Observation {
        .answer(Presence(answer: .notNow, reason: reason))
    }

    @Test("Without a device the app is absent, regardless of other reports")
    func absent() {
        var connection = connection()
        #expect(connection.state == .absent)
        #expect(connection.observe(Self.yes) == nil)
        #expect(connection.observe(Self.gone) == nil)
        #expect(connection.state == .absent)
    }

    /// Weakness 19 in docs/weaknesses.md.
    @Test("Other devices do not disturb the chosen one")
    func severalDevices() {
        var connection = connection()
        _ = connection.observe(.devices(["ffff", Self.udid, "eeee"]))
        #expect(connection.state == .attached)
        #expect(connection.observe(Self.yes) == .attach)
        #expect(connection.observe(.devices(["ffff", Self.udid])) == nil)
        #expect(connection.state == .online)
        #expect(connection.observe(.devices(["ffff"])) == .yank)
    }

    /// Weakness 19 in docs/weaknesses.md.
    @Test("A missing app is looked for again without replugging")
    func appMissing() {
        var connection = connection(Self.here, .appMissing(message: "It does not exist.", hint: nil))
        #expect(connection.state == .appMissing)
        #expect(connection.message == "It does not exist.")
        #expect(connection.observe(Self.yes) == .attach)
        #expect(connection.state == .online)
        #expect(connection.message == nil)
    }

    @Test("An app that its overlay does not find is looked at again too")
    func appMissingByAnswer() {
        var connection = connection(Self.here, .answer(Presence(answer: .no, reason: .appMissing)))
        #expect(connection.state == .appMissing)
        #expect(connection.observe(Self.yes) == .attach)
    }

    /// Weakness 18 in docs/weaknesses.md.
    @Test("A locked or untrusted device is checked again without a restart")
    func unreachable() {
        var connection = connection(Self.here, .unreachable(message: "locked", hint: "Unlock it."))
        #expect(connection.state == .unreachable)
        #expect(connection.hint == "Unlock it.")
        #expect(connection.observe(Self.yes) == .attach)
    }

    @Test("An app that goes offline releases the instance, and attaches it again when it is back")
    func offline() {
        var connection = connection(Self.here, Self.yes)
        #expect(connection.observe(Self.no(.appOffline)) == .release)
        #expect(connection.state == .offline)
        #expect(connection.mayComeOnline)
        #expect(connection.observe(Self.no(.appOffline)) == nil)
        #expect(connection.observe(Self.yes) == .attach)
    }

    @Test("An app whose person left connection mode is not the same as one that is offline")
    func notInConnectionMode() {
        var connection = connection(Self.here, Self.yes)
        #expect(connection.observe(Self.no(.notInConnectionMode)) == .release)
        #expect(connection.state == .notInConnectionMode)
        #expect(connection.mayComeOnline)
    }

    @Test("The host does not wait if access is refused")
    func accessRefused() {
        let connection = connection(
            Self.here, .answer(.no(.accessRefused, "iOS says no.")))
        #expect(connection.state == .accessRefused)
        #expect(!connection.mayComeOnline)
        #expect(connection.message == "iOS says no.")
    }

    @Test("The host does not wait for a device that the overlay does not serve")
    func notServed() {
        let connection = connection(Self.here, .answer(Presence(answer: .no)))
        #expect(connection.state == .notServed)
        #expect(!connection.mayComeOnline)
    }

    @Test("An app that comes online twice is attached once")
    func onlineTwice() {
        var connection = connection(Self.here)
        #expect(connection.observe(Self.yes) == .attach)
        #expect(connection.observe(Self.yes) == nil)
    }

    @Test("An eject lasts until the device is unplugged, and no longer")
    func ejected() {
        var connection = connection(Self.here, Self.yes, .ejected)
        #expect(connection.state == .ejected)
        #expect(connection.observe(Self.yes) == nil)
        #expect(connection.observe(.appMissing(message: "", hint: nil)) == nil)
        #expect(connection.observe(Self.here) == nil)
        #expect(connection.state == .ejected)
        #expect(connection.observe(Self.gone) == .cleanUp)
        #expect(connection.state == .absent)
        #expect(connection.observe(Self.here) == nil)
        #expect(connection.observe(Self.yes) == .attach)
    }

    @Test("An eject survives polling of a device whose USB serial number lacks the dash of its UDID")
    func ejectedWithDash() {
        var connection = ReaderConnection(udid: "00008030-001A2B3C4D5E002E")
        for observation in [
            ReaderConnection.Observation.devices(["00008030-001A2B3C4D5E002E"]), Self.yes, .ejected,
        ] {
            _ = connection.observe(observation)
        }
        #expect(connection.observe(.devices(["00008030001A2B3C4D5E002E"])) == nil)
        #expect(connection.state == .ejected)
    }

    @Test("A pulled cable is yanked once, and the device can be used when it is back")
    func yanked() {
        var connection = connection(Self.here, Self.yes)
        #expect(connection.observe(Self.gone) == .yank)
        #expect(connection.state == .yanked)
        #expect(connection.observe(Self.gone) == nil)
        #expect(connection.observe(Self.yes) == nil)
        #expect(connection.observe(Self.here) == nil)
        #expect(connection.observe(Self.yes) == .attach)
    }

    @Test(
        "A device that goes before its app was in use is just absent",
        arguments: [
            ReaderConnection.State.attached, .offline, .notInConnectionMode, .appMissing, .accessRefused,
            .notServed,
            .unreachable,
        ])
    func goneBeforeUse(_ state: ReaderConnection.State) {
        var connection = connection(Self.here)
        switch state {
        case .offline: _ = connection.observe(Self.no(.appOffline))
        case .notInConnectionMode: _ = connection.observe(Self.no(.notInConnectionMode))
        case .appMissing: _ = connection.observe(.appMissing(message: "", hint: nil))
        case .accessRefused: _ = connection.observe(Self.no(.accessRefused))
        case .notServed: _ = connection.observe(.answer(Presence(answer: .no)))
        case .unreachable: _ = connection.observe(.unreachable(message: "", hint: nil))
        default: break
        }
        #expect(connection.state == state)
        #expect(connection.observe(Self.gone) == nil)
        #expect(connection.state == .absent)
    }

    @Test("An eject of an app that is not online changes nothing")
    func ejectOfNothing() {
        var connection = connection(Self.here)
        #expect(connection.observe(.ejected) == nil)
        #expect(connection.state == .attached)
    }
}
