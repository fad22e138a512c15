import FoundationEssentials

/// The dates of XML property lists: `2022-08-23T01:00:18Z`, always in UTC.
enum CalendarTime {
    private static let secondsPerDay: Int64 = 86_400
    /// From 1970-01-01 to 2001-01-01.
    private static let daysToReference: Int64 = 11_323

    /// Reads a date; nil if the text is none. Days that a month does not have count on into the next one.
    static func date(_ text: Substring.UTF8View) -> Date? {
        let bytes = Array(text)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        let numbers = bytes.dropLast().split(
            omittingEmptySubsequences: false, whereSeparator: { "-T:".utf8.contains($0) })
        let separators = bytes.filter { "-T:".utf8.contains($0) }
        guard separators == Array("--T::".utf8), numbers.count == 6 else { return nil }
        var parts: [Int64] = []
        for (index, digits) in numbers.enumerated() {
            guard index == 0 ? (4...6).contains(digits.count) : digits.count == 2 else { return nil }
            guard let number = Int64(String(decoding: digits, as: UTF8.self)), number >= 0 else {
                return nil
            }
            parts.append(number)
        }
        guard (1...12).contains(parts[1]), (1...31).contains(parts[2]), parts[3] < 24, parts[4] < 60,
            parts[5] <= 60
        else { return nil }
        let days = days(parts[0], parts[1], parts[2]) - daysToReference
        return Date(
            timeIntervalSinceReferenceDate: Double(
                days * secondsPerDay + parts[3] * 3600 + parts[4] * 60 + parts[5]))
    }

    /// Writes a date, without its fraction of a second; nil for one whose year has no four digits.
    static func text(_ date: Date) -> String? {
        let interval = date.timeIntervalSinceReferenceDate.rounded(.down)
        guard abs(interval) < 1e12 else { return nil }
        let seconds = Int64(interval)
        var day = seconds / secondsPerDay
        var rest = seconds % secondsPerDay
        if rest < 0 {
            rest += secondsPerDay
            day -= 1
        }
        let (year, month, dayOfMonth) = calendar(day + daysToReference)
        guard (0...9999).contains(year) else { return nil }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
            + "T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar, whose years are counted from March on.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func calendar(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let place = (5 * dayOfYear + 2) / 153
        let month = place < 10 ? place + 3 : place - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * place + 2) / 5 + 1
        )
    }
}
