import Formats

extension String {
    /// The text with the five named references of XML, the blank that does not break, and numeric ones replaced by what they
    /// stand for.
    ///
    /// Writers of MOBI files copy titles out of markup without doing that. Other references stay as they are.
    var withoutReferences: String { CharacterReferences.resolved(self, names: ["nbsp": "\u{A0}"]) }
}
