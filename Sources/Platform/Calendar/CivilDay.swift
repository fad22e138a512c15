/// A day of the Gregorian calendar, which is also applied to the time before it was introduced.
///
/// Does not use gmtime(3), which counts leap seconds if the local time zone does. Times of devices, books and servers
/// do not have leap seconds.
package struct CivilDay: Hashable, Sendable {
    /// The year. The year before 1 is 0.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, 1 to 31.
    package let day: Int

    /// The day with a number, where 1970-01-01 is 0.
    package init(_ number: Int) {
        // The year begins in March here, so that the leap day is its last day.
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let place = (5 * dayOfYear + 2) / 153
        month = place < 10 ? place + 3 : place - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * place + 2) / 5 + 1
    }

    /// The number of a day, where 1970-01-01 is 0. A day beyond the end of the month counts on into the next one.
    package static func number(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Whether a text is a valid day in the form `YYYY-MM-DD`.
    package static func isDay(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
        }
        guard parts.map(\.utf8.count) == [4, 2, 2], numbers.count == 3, numbers[0] > 0,
            (1...12).contains(numbers[1])
        else { return false }
        return numbers[2] >= 1 && numbers[2] <= days(inMonth: numbers[1], ofYear: numbers[0])
    }

    /// The number of days in a month.
    package static func days(inMonth month: Int, ofYear year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
