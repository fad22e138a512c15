import OverlayBridge

/// The state of the connection to a reader app on one device. Pure: maps observations to actions.
///
/// Ignores other devices. Only an eject is remembered, until the device is unplugged. A missing app and a locked or
/// untrusted device are checked again each time.
///
/// ```swift
/// func waitUntilReady(_ watch: DeviceWatch) throws {
///     while let event = try watch.next() {
///         if ReaderConnection.State(rawValue: event.event) == .online { return }
///     }
/// }
/// ```
public struct ReaderConnection: Sendable, Equatable {
    /// The states, with the names that the `watch` command uses.
    public enum State: String, Sendable, CaseIterable {
        /// The device is not attached.
        case absent
        /// The device is attached, and the reader app was not checked yet.
        case attached
        /// The device is attached, but locked, not trusted, or defective.
        case unreachable
        /// The reader app is not on the device.
        case appMissing = "app-missing"
        /// iOS refuses the access that the host needs.
        case accessRefused = "access-refused"
        /// The reader app is not running, or reports that it is offline.
        case offline
        /// The reader app is running, but the user has not enabled its connection mode.
        case notInConnectionMode = "not-in-connection-mode"
        /// The overlay does not support this device, for its own reason.
        case notServed = "not-served"
        /// The reader app is ready.
        case online
        /// The user ended the connection. It can be opened again after the device is replugged.
        case ejected
        /// The device was unplugged while the reader app was used.
        case yanked
    }

    /// An observation.
    package enum Observation: Sendable, Equatable {
        /// The UDIDs of all attached devices.
        case devices([String])
        /// The device does not answer requests.
        case unreachable(message: String, hint: String?)
        /// The device does not have the app.
        case appMissing(message: String, hint: String?)
        /// The overlay answered.
        case answer(Presence)
        /// The overlay's `eject` succeeded.
        case ejected
    }

    /// The required action for the instance.
    package enum Action: String, Sendable, CaseIterable {
        /// The reader app is ready from now on.
        case attach
        /// The reader app is no longer ready; the device is still attached.
        case release
        /// The device was unplugged: record this and call `post_yank_cleanup`.
        case yank
        /// The device was unplugged after an eject: call `post_yank_cleanup`.
        case cleanUp
    }

    /// The UDID of the device.
    public let udid: String
    /// The current state.
    public private(set) var state: State = .absent
    /// The reason for the state, as one sentence; nil if the state needs none.
    public private(set) var message: String?
    /// A hint for the user.
    public private(set) var hint: String?

    /// Creates the connection of a device that was not observed yet.
    public init(udid: String) { self.udid = udid }

    /// Whether waiting may help, because the user can make the reader app ready.
    package var mayComeOnline: Bool {
        state == .offline || state == .notInConnectionMode || state == .attached
    }

    /// Updates the state with an observation; nil if no action is required.
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

    /// Whether the state of the reader app is meaningful now.
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

    /// Whether two spellings identify the same device. Newer UDIDs have a dash that the USB serial number does not
    /// have.
    static func isSame(_ one: String, _ other: String) -> Bool {
        func plain(_ udid: String) -> [UInt8] { udid.lowercased().utf8.filter { $0 != UInt8(ascii: "-") } }
        return one == other || plain(one) == plain(other)
    }
}
