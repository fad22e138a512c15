/// A point in time, with date and clock time in UTC.
package struct CivilTime: Hashable, Sendable {
    /// The number of seconds in a day.
    package static let secondsPerDay: Int64 = 86_400

    /// The day.
    package let date: CivilDay
    /// The hour, 0 to 23.
    package let hour: Int
    /// The minute, 0 to 59.
    package let minute: Int
    /// The second, 0 to 59.
    package let second: Int

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

    /// Hours, minutes and seconds, such as `08:49:37`.
    package var clock: String { "\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))" }
}
