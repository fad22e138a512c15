/// A calendar day as the `pubdate` attribute carries it: `YYYY-MM-DD`, with the year always in four digits.
package struct PublicationDate: Hashable, Sendable, CustomStringConvertible {
    /// The year, 1 to 9999.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day, 1 to 31.
    package let day: Int

    /// Nil when a part lies outside its range or the month has no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        guard day <= PublicationDate.days(inMonth: month, ofYear: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, each optionally followed by a time of day, which is ignored.
    ///
    /// A year of fewer than four digits is accepted, since the original host does not pad it. Nil for anything else.
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

    /// Midnight UTC of this day as Unix seconds, which is how the reader app stores it.
    package var unixSeconds: Int64 {
        // Days since 1 March of year 0 in the proleptic Gregorian calendar, so that leap days fall at the end.
        let shiftedYear = month > 2 ? year : year - 1
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let century = shiftedYear / 400
        let yearOfEra = shiftedYear - century * 400
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return (Int64(century) * 146_097 + Int64(dayOfEra) - 719_468) * 86_400
    }

    /// The UTC day of a point in time; nil when its year is outside 1 to 9999.
    package init?(unixSeconds: Int64) {
        let days = unixSeconds >= 0 ? unixSeconds / 86_400 : -((-(unixSeconds + 1)) / 86_400) - 1
        guard days > -719_162 - 366, days < 2_932_897 else { return nil }
        let shifted = days + 719_468
        let era = shifted >= 0 ? shifted / 146_097 : (shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        self.init(year: Int(year), month: Int(month), day: Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
    }

    /// The day as the protocol writes it, `YYYY-MM-DD`.
    package var description: String {
        "\(PublicationDate.padded(year, 4))-\(PublicationDate.padded(month, 2))-\(PublicationDate.padded(day, 2))"
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func days(inMonth month: Int, ofYear year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
