import Testing

@testable import HostContract

@Suite("The life of an instance follows one table")
struct SessionStateTests {
    private typealias Edge = (SessionState, SessionState.Event, SessionState)

    /// A second copy of the table, from the manual.
    private static let allowed: [(from: SessionState, event: SessionState.Event, to: SessionState)] = [
        (.described, .created, .created), (.created, .initialized, .initialized),
        (.created, .destroyed, .destroyed), (.initialized, .attached, .attached),
        (.attached, .released, .initialized), (.attached, .yanked, .yanked), (.attached, .ejected, .ejected),
        (.yanked, .cleaned, .initialized), (.ejected, .cleaned, .initialized),
        (.initialized, .shutDown, .shutDown),
        (.attached, .shutDown, .shutDown), (.yanked, .shutDown, .shutDown), (.ejected, .shutDown, .shutDown),
        (.shutDown, .destroyed, .destroyed),
    ]

    @Test("Every transition in the manual leads to the stated state", arguments: allowed.indices)
    func everyEdge(_ index: Int) {
        let edge = Self.allowed[index]
        #expect(edge.from.after(edge.event) == edge.to)
    }

    @Test("Every other pair of state and event is forbidden", arguments: SessionState.allCases)
    func everyForbiddenEdge(_ state: SessionState) {
        for event in SessionState.Event.allCases
        where !Self.allowed.contains(where: { $0.from == state && $0.event == event }) {
            #expect(state.after(event) == nil, "\(state) after \(event)")
        }
    }

    @Test("No state has two ways out for one event")
    func isDeterministic() {
        for state in SessionState.allCases {
            for event in SessionState.Event.allCases {
                #expect(SessionState.edges.filter { $0.from == state && $0.event == event }.count <= 1)
            }
        }
    }

    @Test(
        "The result of a method is possible in every state it may be called in",
        arguments: OverlayMethod.allCases)
    func methodsFitTheTable(_ method: OverlayMethod) {
        for event in [method.onSuccess, method.onReturn].compactMap({ $0 }) {
            for state in method.states { #expect(state.after(event) != nil, "\(method) in \(state)") }
        }
    }

    @Test("The methods that must not use the device are those that may be called without one")
    func pureMethods() {
        #expect(
            OverlayMethod.allCases.filter(\.isPure).map(\.rawValue) == [
                "initialize", "shutdown", "add_books_to_metadata", "remove_books_from_metadata",
                "post_yank_cleanup",
            ])
    }
}
