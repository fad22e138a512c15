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

    /// The day in the form `YYYY-MM-DD`, for the years 0 to 9999. Other years have more digits or a sign.
    package var text: String { "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))" }

    /// Whether a text is a day of the years 1 to 9999 in the form `YYYY-MM-DD`.
    package static func isDay(_ text: some StringProtocol) -> Bool {
        var text = String(text)
        return text.withUTF8 { bytes in
            guard bytes.count == 10, hasForm(UnsafeRawBufferPointer(bytes)) else { return false }
            func number(_ digits: Range<Int>) -> Int { digits.reduce(0) { $0 * 10 + Int(bytes[$1]) - 0x30 } }
            let year = number(0..<4)
            return year > 0 && number(8..<10) <= days(inMonth: number(5..<7), ofYear: year)
        }
    }

    /// Whether a text has the form of a day: a year with at least four digits, perhaps before the year 0, and two
    /// digits each for month and day. Each month counts as having 31 days. Does not allocate memory.
    package static func hasForm(_ digits: UnsafeRawBufferPointer) -> Bool {
        guard digits.count >= 10, digits.count <= 16 else { return false }
        func isDigit(_ index: Int) -> Bool { digits[index] >= 48 && digits[index] <= 57 }
        func number(_ index: Int) -> UInt8 { (digits[index] &- 48) &* 10 &+ (digits[index + 1] &- 48) }
        let end = digits.count
        let first = digits[0] == UInt8(ascii: "-") ? 1 : 0
        guard end - 6 - first >= 4, digits[end - 3] == UInt8(ascii: "-"), digits[end - 6] == UInt8(ascii: "-")
        else { return false }
        for index in first..<(end - 6) where !isDigit(index) { return false }
        guard isDigit(end - 5), isDigit(end - 4), isDigit(end - 2), isDigit(end - 1) else { return false }
        return (1...12).contains(number(end - 5)) && (1...31).contains(number(end - 2))
    }

    /// Whether a text has the form of a day, as above.
    package static func hasForm(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { hasForm(UnsafeRawBufferPointer($0)) }
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
