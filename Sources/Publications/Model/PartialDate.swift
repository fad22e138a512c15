import Platform

/// A date as a publication states it: a year, and as much more as is known.
///
/// The calendar is the proleptic Gregorian one. Comparing puts a less exact date before a more exact one.
public struct PartialDate: Hashable, Sendable, CustomStringConvertible {
    /// A time of day with its distance from UTC.
    public struct Time: Hashable, Sendable {
        /// 0 to 23.
        public var hour: Int
        /// 0 to 59.
        public var minute: Int
        /// 0 to 60.
        public var second: Int
        /// Minutes east of UTC, -1439 to 1439; nil when the place is not stated.
        public var offset: Int?

        /// Nil when a part is outside its range.
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

    /// 1 to 9999.
    public let year: Int
    /// 1 to 12.
    public let month: Int?
    /// 1 to 31, never without a month.
    public let day: Int?
    /// The time of day, never without a day.
    public let time: Time?

    /// Nil when a part is outside its range, the month has no such day, or a part is there without the one above.
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

    /// `YYYY-MM-DD` of the day; an unknown month or day counts as the first.
    public var dayText: String {
        "\(year.padded(4))-\((month ?? 1).padded(2))-\((day ?? 1).padded(2))"
    }

    /// The date in the form of ISO 8601, no more exact than it is known.
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
