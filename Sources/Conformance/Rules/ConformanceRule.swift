import OverlayHost

/// A rule of the contract that can be checked: where it is written, how it is tested, and how to fix a breach.
public struct ConformanceRule: Sendable, Identifiable {
    /// Group and name in kebab-case, such as `rows/once`. Stable, because people list ids in their builds.
    public let id: String
    /// The requirement of the contract.
    public let clause: String
    /// The source of the requirement: a header or a section of the manual.
    public let place: String
    /// How the checker tests it.
    public let trial: String
    /// What the author of the overlay can do.
    public let advice: String
    /// The scenarios that can reveal a breach.
    package let scenarios: Set<Scenario>
    /// What must have happened before the rule counts as satisfied.
    package let need: Need

    /// What must have happened to test a rule.
    package enum Need: Sendable, Equatable {
        /// The file was examined.
        case file
        /// The tables could be read.
        case tables
        /// An instance got to work with the device.
        case instance
        /// One of these methods has returned.
        case methods([OverlayMethod])
        /// The rule was put to the test, which requires one of these methods.
        case trial([OverlayMethod])
    }

    package init(
        _ id: String, _ clause: String, in place: String, trial: String, advice: String,
        shownBy scenarios: Set<Scenario>, needs need: Need
    ) {
        self.id = id
        self.clause = clause
        self.place = place
        self.trial = trial
        self.advice = advice
        self.scenarios = scenarios
        self.need = need
    }

    /// The part of the id before the slash.
    public var group: String { id.split(separator: "/").first.map { String($0) } ?? id }
}

/// What the checker does with an overlay to test its rules; each scenario starts with a new instance.
package enum Scenario: String, Sendable, CaseIterable {
    /// The file is examined and loaded.
    case loading
    /// Normal use of a healthy device: every method, from `create` to `destroy`.
    case course
    /// Every method in each of its other states.
    case states
    /// Sinks that ask to stop at once.
    case stopping
    /// A host without one of its services.
    case withholding
    /// The same work many times.
    case repetition
    /// The device disappears at a request.
    case vanishing
    /// The device is unplugged while it answers a request.
    case severing
    /// The device is full at a writing request.
    case filling
    /// The user cancels.
    case cancelling
}
