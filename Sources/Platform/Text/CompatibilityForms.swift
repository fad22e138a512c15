@_spi(_Unicode) import Swift

/// Unicode's compatibility forms, without loading another library's tables.
extension String {
    /// The text in Unicode's normalization form KD: taken apart, and with compatible signs as their letters, such as a ligature as two.
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
        // The letters of a sign may have accents, which have an order among those that follow.
        return String(scalars).decomposed
    }

    /// The text in Unicode's normalization form KC: the same with composed letters.
    package var compatiblyComposed: String {
        utf8.contains { $0 >= 0x80 } ? compatiblyDecomposed.composed : self
    }
}
