import Platform

/// A date as a publication states it: a year, and optionally a month, a day and a time.
///
/// The calendar is the proleptic Gregorian one. In comparisons, a less exact date comes before a more exact one.
public struct PartialDate: Hashable, Sendable, CustomStringConvertible {
    /// A time of day with its offset from UTC.
    public struct Time: Hashable, Sendable {
        /// The hour, 0 to 23.
        public var hour: Int
        /// The minute, 0 to 59.
        public var minute: Int
        /// The second, 0 to 60.
        public var second: Int
        /// The offset from UTC in minutes, positive to the east, -1439 to 1439; nil if no zone is stated.
        public var offset: Int?

        /// Creates a time of day; nil if a part is outside its range.
        public init?(hour: Int, minute: Int, second: Int = 0, offset: Int? = nil) {
            guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
                (-1439...1439).contains(offset ?? 0)
            else { return nil }
            self.hour = hour
            self.minute = minute
            self.second = second
            self.offset = offset
        }
    }

    /// The year, 1 to 9999.
    public let year: Int
    /// The month, 1 to 12; nil if unknown.
    public let month: Int?
    /// The day, 1 to 31; nil if unknown. Requires a month.
    public let day: Int?
    /// The time of day; nil if unknown. Requires a day.
    public let time: Time?

    /// Creates a date; nil if a part is outside its range, the month does not have that day, or a part is given
    /// without the larger one before it.
    public init?(year: Int, month: Int? = nil, day: Int? = nil, time: Time? = nil) {
        guard (1...9999).contains(year), (1...12).contains(month ?? 1) else { return nil }
        guard month != nil || day == nil, day != nil || time == nil else { return nil }
        if let month, let day {
            guard day >= 1, day <= CivilDay.days(inMonth: month, ofYear: year) else { return nil }
        }
        self.year = year
        self.month = month
        self.day = day
        self.time = time
    }

    /// The day as `YYYY-MM-DD`, with 01 for an unknown month or day.
    public var dayText: String {
        "\(year.padded(4))-\((month ?? 1).padded(2))-\((day ?? 1).padded(2))"
    }

    /// The date in ISO 8601 form, with only the parts that are known.
    public var description: String {
        guard let month else { return year.padded(4) }
        guard day != nil else { return "\(year.padded(4))-\(month.padded(2))" }
        guard let time else { return dayText }
        let clock = [time.hour, time.minute, time.second].map { $0.padded(2) }
        var text = dayText + "T" + clock.joined(separator: ":")
        if let offset = time.offset {
            let distance = abs(offset)
            text +=
                offset == 0
                ? "Z"
                : (offset < 0 ? "-" : "+") + (distance / 60).padded(2) + ":"
                    + (distance % 60).padded(2)
        }
        return text
    }
}
