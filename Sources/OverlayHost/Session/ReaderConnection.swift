import OverlayBridge

/// How a reader app on one device can be reached right now. Pure: what was seen goes in, what to do comes out.
///
/// It is bound to one device and does not care about others. Nothing is latched but an eject, which lasts until the
/// device is unplugged: an app that was missing, a locked or an untrusted device is looked at again each time.
public struct ReaderConnection: Sendable, Equatable {
    /// The states, with the words of the `watch` command.
    public enum State: String, Sendable, CaseIterable {
        /// The device is not attached.
        case absent
        /// The device is attached; the reader app has not been looked at.
        case attached
        /// The device is attached but locked, not trusted, or out of order.
        case unreachable
        /// The reader app is not on the device.
        case appMissing = "app-missing"
        /// iOS does not let the host where it has to go.
        case accessRefused = "access-refused"
        /// The reader app does not run, or says that it is offline.
        case offline
        /// The reader app runs, but its person has not opened the connection.
        case notInConnectionMode = "not-in-connection-mode"
        /// The overlay does not serve this device, for its own reason.
        case notServed = "not-served"
        /// The reader app can be used.
        case online
        /// The person ended the connection; it can be opened again after replugging.
        case ejected
        /// The device was unplugged while the reader app was in use.
        case yanked
    }

    /// What was seen.
    package enum Observation: Sendable, Equatable {
        /// The UDIDs of all attached devices.
        case devices([String])
        /// The device does not let itself be asked.
        case unreachable(message: String, hint: String?)
        /// The device has no such app.
        case appMissing(message: String, hint: String?)
        /// The overlay answered.
        case answer(Presence)
        /// The overlay's `eject` succeeded.
        case ejected
    }

    /// What the host has to do to the instance.
    package enum Action: String, Sendable, CaseIterable {
        /// The reader app can be used from now on.
        case attach
        /// The reader app can no longer be used; the device is still there.
        case release
        /// The device was pulled: note it and call `post_yank_cleanup`.
        case yank
        /// The device was pulled after an eject: call `post_yank_cleanup`.
        case cleanUp
    }

    /// The device.
    public let udid: String
    /// How it stands.
    public private(set) var state: State = .absent
    /// Why, one sentence; nil when the state says it all.
    public private(set) var message: String?
    /// What the person can do.
    public private(set) var hint: String?

    /// A connection to a device that has not been seen yet.
    public init(udid: String) { self.udid = udid }

    /// Whether waiting may help: the person can make the reader app listen.
    package var mayComeOnline: Bool {
        state == .offline || state == .notInConnectionMode || state == .attached
    }

    /// Takes what was seen; nil when there is nothing to do.
    package mutating func observe(_ observation: Observation) -> Action? {
        switch observation {
        case .devices(let udids): return present(udids.contains { Self.isSame($0, udid) })
        case .unreachable(let message, let hint): return leave(for: .unreachable, message, hint)
        case .appMissing(let message, let hint): return leave(for: .appMissing, message, hint)
        case .answer(let answer): return take(answer)
        case .ejected:
            if state == .online { move(to: .ejected, nil, nil) }
            return nil
        }
    }

    private mutating func present(_ isThere: Bool) -> Action? {
        switch (isThere, state) {
        case (true, .absent), (true, .yanked): move(to: .attached, nil, nil)
        case (true, _), (false, .yanked), (false, .absent): break
        case (false, .online):
            move(to: .yanked, "The device was unplugged.", nil)
            return .yank
        case (false, .ejected):
            move(to: .absent, nil, nil)
            return .cleanUp
        case (false, _): move(to: .absent, nil, nil)
        }
        return nil
    }

    private mutating func take(_ answer: Presence) -> Action? {
        guard isAskable else { return nil }
        guard answer.answer == .yes else {
            return leave(for: Self.state(for: answer), answer.message, answer.hint)
        }
        let wasOnline = state == .online
        move(to: .online, nil, nil)
        return wasOnline ? nil : .attach
    }

    /// Whether the reader app's state means anything now.
    private var isAskable: Bool { state != .absent && state != .ejected && state != .yanked }

    private mutating func leave(for next: State, _ message: String?, _ hint: String?) -> Action? {
        guard isAskable else { return nil }
        let wasOnline = state == .online
        move(to: next, message, hint)
        return wasOnline ? .release : nil
    }

    private mutating func move(to next: State, _ message: String?, _ hint: String?) {
        (state, self.message, self.hint) = (next, message, hint)
    }

    private static func state(for answer: Presence) -> State {
        switch answer.reason {
        case .appOffline: .offline
        case .notInConnectionMode: .notInConnectionMode
        case .appMissing: .appMissing
        case .accessRefused: .accessRefused
        default: answer.answer == .notNow ? .offline : .notServed
        }
    }

    /// Whether two spellings mean one device: newer UDIDs have a dash that the USB serial number lacks.
    static func isSame(_ one: String, _ other: String) -> Bool {
        func plain(_ udid: String) -> [UInt8] { udid.lowercased().utf8.filter { $0 != UInt8(ascii: "-") } }
        return one == other || plain(one) == plain(other)
    }
}
