import Platform

/// A day in the form of the `pubdate` attribute: `YYYY-MM-DD`, with four digits for the year.
package struct PublicationDate: Hashable, Sendable, CustomStringConvertible {
    /// The year, 1 to 9999.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day, 1 to 31.
    package let day: Int

    /// Creates a day; nil if a part is outside its range or the month does not have this day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        guard day <= CivilDay.days(inMonth: month, ofYear: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, each optionally followed by a time, which is ignored.
    ///
    /// A year with fewer than four digits is accepted, because the original host does not pad it. Nil for other
    /// texts.
    package init?(text: String) {
        let day = text.prefix { $0 != "T" && $0 != " " }
        let parts = day.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...3).contains(parts.count), let year = parts[0] else { return nil }
        guard let month = parts.count > 1 ? parts[1] : 1, let dayOfMonth = parts.count > 2 ? parts[2] : 1
        else {
            return nil
        }
        self.init(year: year, month: month, day: dayOfMonth)
    }

    /// Midnight UTC of this day as Unix seconds, as stored by the reader app.
    package var unixSeconds: Int64 {
        Int64(CivilDay.number(year: year, month: month, day: day)) * CivilTime.secondsPerDay
    }

    /// The UTC day of a time; nil if its year is outside 1 to 9999.
    package init?(unixSeconds: Int64) {
        guard (-63_000_000_000..<254_000_000_000).contains(unixSeconds) else { return nil }
        let date = CivilTime(secondsSince1970: unixSeconds).date
        self.init(year: date.year, month: date.month, day: date.day)
    }

    /// The day in the form of the protocol, `YYYY-MM-DD`.
    package var description: String {
        "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
    }
}
