/// The `timestamp` attribute of a protocol file: Unix seconds as decimal text.
///
/// The text is kept as it was read, because the only rule a reader needs is that a changed text means news;
/// an app may write any number of fraction digits.
package struct CommandTimestamp: Hashable, Sendable, CustomStringConvertible {
    /// The text as it stands in the file, for example `1364148473.0`.
    package let text: String

    /// Takes over the text of a file unchanged.
    package init(text: String) {
        self.text = text
    }

    /// Writes a point in time with exactly one fraction digit, as the protocol asks.
    ///
    /// - Parameter tenths: tenths of a second since 1 January 1970, UTC; negative values are before it.
    package init(tenths: Int64) {
        let magnitude = tenths.magnitude
        text = "\(tenths < 0 ? "-" : "")\(magnitude / 10).\(magnitude % 10)"
    }

    /// Writes whole seconds since 1 January 1970, UTC, with the fraction digit `0`.
    package init(seconds: Int64) {
        text = "\(seconds).0"
    }

    /// Seconds since 1 January 1970, or nil if the text is not a finite number.
    package var seconds: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The text of the file.
    package var description: String { text }
}
