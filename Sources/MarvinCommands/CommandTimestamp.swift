/// The `timestamp` attribute of a protocol file: Unix seconds as decimal text.
///
/// The text is not converted, because a reader only needs to detect changes, and an app may write any number of
/// fraction digits.
package struct CommandTimestamp: Hashable, Sendable, CustomStringConvertible {
    /// The text in the file, for example `1364148473.0`.
    package let text: String

    /// Uses the text in a file unchanged.
    package init(text: String) {
        self.text = text
    }

    /// Creates the text for a time with exactly one fraction digit, as the protocol requires.
    ///
    /// - Parameter tenths: tenths of a second since 1 January 1970, UTC; negative for earlier times.
    package init(tenths: Int64) {
        let magnitude = tenths.magnitude
        text = "\(tenths < 0 ? "-" : "")\(magnitude / 10).\(magnitude % 10)"
    }

    /// Creates the text for whole seconds since 1 January 1970, UTC, with the fraction digit `0`.
    package init(seconds: Int64) {
        text = "\(seconds).0"
    }

    /// The seconds since 1 January 1970; nil if the text is not a finite number.
    package var seconds: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The text of the file.
    package var description: String { text }
}
