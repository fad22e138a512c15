import Platform

/// The time for which conditions on dates are evaluated, and the user's calendar.
public struct GroupClock: Sendable {
    /// Now, in seconds since 1970-01-01 00:00 UTC.
    public let now: Int64
    /// The first day of the week: 1 is Sunday, 2 is Monday.
    public let firstWeekday: Int
    /// Returns the number of seconds by which local time is ahead of UTC at a moment.
    private let offset: @Sendable (Int64) -> Int64

    /// Creates a clock that always shows `now`.
    public init(now: Int64, firstWeekday: Int = 2, offset: @escaping @Sendable (Int64) -> Int64 = { _ in 0 })
    {
        self.now = now
        self.firstWeekday = firstWeekday
        self.offset = offset
    }

    /// The units of time in conditions, by their numbers in the file.
    enum Period: Int { case day = 1, week, month, year }

    /// The local day of a moment, where 1970-01-01 is 0.
    func day(of seconds: Int64) -> Int {
        let (local, isTooFar) = seconds.addingReportingOverflow(offset(seconds))
        guard !isTooFar else { return 0 }
        return Int(
            local >= 0
                ? local / CivilTime.secondsPerDay
                : (local - CivilTime.secondsPerDay + 1) / CivilTime.secondsPerDay)
    }

    /// The moment at which a local day begins.
    func start(ofDay day: Int) -> Int64 {
        let local = Int64(day) * CivilTime.secondsPerDay
        // The offset may change between the two estimates; the second one settles it.
        let first = local - offset(local)
        return local - offset(first)
    }

    /// The start of the current period, moved by a number of periods.
    func start(of period: Period, movedBy count: Int) -> Int64 {
        // A condition cannot reach beyond the calendar.
        let count = max(-100_000, min(100_000, count))
        let today = day(of: now)
        switch period {
        case .day: return start(ofDay: today + count)
        case .week:
            // 1970-01-01 was a Thursday, the fifth day of a week that begins on Sunday.
            let weekday = ((today + 4) % 7 + 7) % 7 + 1
            return start(ofDay: today - (weekday - firstWeekday + 7) % 7 + 7 * count)
        case .month:
            let civil = CivilDay(today)
            let months = civil.year * 12 + civil.month - 1 + count
            let year = months >= 0 ? months / 12 : (months - 11) / 12
            return start(ofDay: CivilDay.number(year: year, month: months - year * 12 + 1, day: 1))
        case .year:
            return start(ofDay: CivilDay.number(year: CivilDay(today).year + count, month: 1, day: 1))
        }
    }
}
