/// What an overlay did that the contract does not allow: one clause of a sentence, such as
/// `the row index 7 is out of range`.
package struct ContractBreach: Error, Equatable, CustomStringConvertible {
    /// The clause.
    package let clause: String

    /// A breach in words that complete the sentence "the overlay broke the contract: …".
    package init(_ clause: String) { self.clause = clause }

    /// The clause.
    package var description: String { clause }

    /// The error a person sees, naming overlay and method.
    package func error(overlay: String, method: String, underlying: HostError? = nil) -> HostError {
        HostError(
            .contractBroken, "The overlay \(overlay) broke the contract in \(method): \(clause).",
            subject: overlay, hint: "Please report this to the author of the overlay.",
            underlying: underlying)
    }
}
