import OverlayHost

/// One rule of the contract that can be checked: where it is written, how it is tested, and how to fix a breach.
public struct ConformanceRule: Sendable, Identifiable {
    /// Group and name in kebab-case, such as `rows/once`. Stable: people list them in their builds.
    public let id: String
    /// What the contract says.
    public let clause: String
    /// Where it says so: a header or a section of the manual.
    public let place: String
    /// How an overlay is tried.
    public let trial: String
    /// What its author can do.
    public let advice: String
    /// The scenarios that can show a breach.
    package let scenarios: Set<Scenario>
    /// What must have happened before the rule counts as kept.
    package let need: Need

    /// What a trial of a rule takes.
    package enum Need: Sendable, Equatable {
        /// The file alone.
        case file
        /// Tables that could be read.
        case tables
        /// An instance that came to work with the device.
        case instance
        /// One of these methods has returned.
        case methods([OverlayMethod])
        /// It was put to the test, which takes one of these methods.
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
    /// The file is looked at and loaded.
    case loading
    /// Normal use of a healthy device: every method, from `create` to `destroy`.
    case course
    /// Every method in each other state it names.
    case states
    /// Sinks that ask to stop at once.
    case stopping
    /// A host without one of its services.
    case withholding
    /// The same work over and over.
    case repetition
    /// The device vanishes at a request.
    case vanishing
    /// The cable is pulled while the device answers a request.
    case severing
    /// The device is full at a writing request.
    case filling
    /// The person cancels.
    case cancelling
}
