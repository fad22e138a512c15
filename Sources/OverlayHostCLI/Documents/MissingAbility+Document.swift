import JSON
import OverlayHost

extension MissingAbility {
    /// The ability with the reason and what helps.
    var document: JSONValue {
        .document(["ability": .string(ability), "reason": .string(reason), "hint": .optional(hint)])
    }
}
