@_spi(_Unicode) import Swift

/// Unicode's compatibility forms, without the tables of another library.
extension String {
    /// The text in normalization form KD: fully decomposed, with compatibility characters replaced, such as a
    /// ligature by two letters.
    package var compatiblyDecomposed: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var scalars = UnicodeScalarView()
        for scalar in _nfd {
            if let letters = CompatibilityTable.decompositions[scalar.value] {
                scalars.append(contentsOf: letters)
            } else {
                scalars.append(scalar)
            }
        }
        // Replacement letters may have combining marks, which must be put in canonical order with those that follow.
        return String(scalars).decomposed
    }

    /// The text in normalization form KC: the same with letters and marks composed.
    package var compatiblyComposed: String {
        utf8.contains { $0 >= 0x80 } ? compatiblyDecomposed.composed : self
    }
}
