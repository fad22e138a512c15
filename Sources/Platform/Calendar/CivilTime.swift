/// A point in time, with date and clock time in UTC.
package struct CivilTime: Hashable, Sendable {
    /// The number of seconds in a day.
    package static let secondsPerDay: Int64 = 86_400
    /// The seconds from 1970-01-01 to 2001-01-01, where Apple's clocks begin.
    package static let secondsTo2001: Int64 = 978_307_200
    /// The seconds of the years 1 to 9999, which texts with four digits for the year can express.
    package static let secondsOfFourDigitYears: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// The day.
    package let date: CivilDay
    /// The hour, 0 to 23.
    package let hour: Int
    /// The minute, 0 to 59.
    package let minute: Int
    /// The second, 0 to 59.
    package let second: Int

    /// The time a number of seconds after 1970-01-01 00:00, or the nearest time in the years 1 to 9999.
    package init(nearestTo seconds: Int64) {
        let years = Self.secondsOfFourDigitYears
        self.init(secondsSince1970: min(max(seconds, years.lowerBound), years.upperBound))
    }

    /// The time a number of seconds after 1970-01-01 00:00.
    package init(secondsSince1970 seconds: Int64) {
        var (day, rest) = seconds.quotientAndRemainder(dividingBy: Self.secondsPerDay)
        if rest < 0 {
            rest += Self.secondsPerDay
            day -= 1
        }
        date = CivilDay(Int(day))
        hour = Int(rest / 3600)
        minute = Int(rest / 60 % 60)
        second = Int(rest % 60)
    }

    /// The time in the form of RFC 3339, such as `1994-11-06T08:49:37Z`.
    ///
    /// - Parameter zone: how to say that it is UTC: `Z` or `+00:00`.
    package func text(zone: String = "Z") -> String { "\(date.text)T\(clock)\(zone)" }

    /// Hours, minutes and seconds, such as `08:49:37`.
    package var clock: String { "\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))" }
}
