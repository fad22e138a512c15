/// The states in the life cycle of an instance of an overlay (overlay_methods.h, "States of an instance").
///
///     described ─created→ created ─initialized→ initialized ⇄ attached ─yanked→ yanked ─cleaned→ initialized
///                                                               └──────ejected→ ejected ─cleaned→ initialized
///     initialized | attached | yanked | ejected ─shutDown→ shut down ─destroyed→ destroyed
package enum SessionState: String, Sendable, CaseIterable {
    /// Only the descriptor is known.
    case described
    /// The instance exists.
    case created
    /// The instance is ready for a device.
    case initialized
    /// The instance serves a device.
    case attached
    /// The device was unplugged while attached.
    case yanked
    /// The user ended the connection.
    case ejected
    /// The work of the instance has ended.
    case shutDown = "shut down"
    /// The instance no longer exists.
    case destroyed

    /// The events that change the state of an instance.
    package enum Event: String, Sendable, CaseIterable {
        /// `create` returned an instance.
        case created
        /// `initialize` succeeded, or is not implemented.
        case initialized
        /// `can_handle` answered yes.
        case attached
        /// `can_handle` no longer answers yes: the reader app stopped listening.
        case released
        /// The device is gone.
        case yanked
        /// `eject` succeeded, or is not implemented.
        case ejected
        /// `post_yank_cleanup` returned, even with an error.
        case cleaned
        /// `shutdown` returned, even with an error.
        case shutDown
        /// `destroy` returned.
        case destroyed
    }

    /// All allowed transitions.
    package static let edges: [(from: SessionState, event: Event, to: SessionState)] = [
        (.described, .created, .created),
        (.created, .initialized, .initialized),
        (.created, .destroyed, .destroyed),
        (.initialized, .attached, .attached),
        (.initialized, .shutDown, .shutDown),
        (.attached, .released, .initialized),
        (.attached, .yanked, .yanked),
        (.attached, .ejected, .ejected),
        (.attached, .shutDown, .shutDown),
        (.yanked, .cleaned, .initialized),
        (.yanked, .shutDown, .shutDown),
        (.ejected, .cleaned, .initialized),
        (.ejected, .shutDown, .shutDown),
        (.shutDown, .destroyed, .destroyed),
    ]

    /// The state after `event`; nil if the event is not allowed in this state.
    package func after(_ event: Event) -> SessionState? {
        Self.edges.first { $0.from == self && $0.event == event }?.to
    }
}
