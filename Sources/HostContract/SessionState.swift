/// Where an instance of an overlay is in its life (overlay_methods.h, "States of an instance").
///
///     described ─created→ created ─initialized→ initialized ⇄ attached ─yanked→ yanked ─cleaned→ initialized
///                                                               └──────ejected→ ejected ─cleaned→ initialized
///     initialized | attached | yanked | ejected ─shutDown→ shut down ─destroyed→ destroyed
package enum SessionState: String, Sendable, CaseIterable {
    /// Only the descriptor is known.
    case described
    /// The instance exists.
    case created
    /// It is ready for a device.
    case initialized
    /// It serves a device.
    case attached
    /// The device was unplugged while attached.
    case yanked
    /// The person ended the connection.
    case ejected
    /// Its work is over.
    case shutDown = "shut down"
    /// It is gone.
    case destroyed

    /// What moves an instance from state to state.
    package enum Event: String, Sendable, CaseIterable {
        /// `create` gave an instance.
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
        /// `post_yank_cleanup` returned, also with an error.
        case cleaned
        /// `shutdown` returned, also with an error.
        case shutDown
        /// `destroy` returned.
        case destroyed
    }

    /// The whole table. All other transitions are forbidden.
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

    /// The state after `event`; nil if it cannot happen here.
    package func after(_ event: Event) -> SessionState? {
        Self.edges.first { $0.from == self && $0.event == event }?.to
    }
}
