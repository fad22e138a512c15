extension Unicode.Scalar {
    /// The letters `a` to `z` that stand for a small letter which Unicode does not decompose into one of them and an
    /// accent, such as `ss` for `ß`; nil for every other character.
    package var plainLetters: String? { Self.plainLetters[self] }

    private static let plainLetters: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h",
        "ŧ": "t", "ŋ": "n", "ı": "i", "ȷ": "j",
    ]
}
