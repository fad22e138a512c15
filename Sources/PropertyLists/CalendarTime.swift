import FoundationEssentials
import Platform

/// Converts the dates in XML property lists: `2022-08-23T01:00:18Z`, always in UTC.
enum CalendarTime {
    /// Parses a date; nil if the text is not one. Days that a month does not have continue into the next month.
    static func date(_ text: Substring.UTF8View) -> Date? {
        let bytes = Array(text)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        let numbers = bytes.dropLast().split(
            omittingEmptySubsequences: false, whereSeparator: { "-T:".utf8.contains($0) })
        let separators = bytes.filter { "-T:".utf8.contains($0) }
        guard separators == Array("--T::".utf8), numbers.count == 6 else { return nil }
        var parts: [Int] = []
        for (index, digits) in numbers.enumerated() {
            guard index == 0 ? (4...6).contains(digits.count) : digits.count == 2 else { return nil }
            guard let number = Int(String(decoding: digits, as: UTF8.self)), number >= 0 else {
                return nil
            }
            parts.append(number)
        }
        guard (1...12).contains(parts[1]), (1...31).contains(parts[2]), parts[3] < 24, parts[4] < 60,
            parts[5] <= 60
        else { return nil }
        let day = Int64(CivilDay.number(year: parts[0], month: parts[1], day: parts[2]))
        let clock = Int64(parts[3] * 3600 + parts[4] * 60 + parts[5])
        return Date(
            timeIntervalSinceReferenceDate: Double(
                day * CivilTime.secondsPerDay + clock - CivilTime.secondsTo2001))
    }

    /// Formats a date without its fraction of a second; nil if its year does not have four digits.
    static func text(_ date: Date) -> String? {
        let interval = date.timeIntervalSinceReferenceDate.rounded(.down)
        guard abs(interval) < 1e12 else { return nil }
        let time = CivilTime(secondsSince1970: Int64(interval) + CivilTime.secondsTo2001)
        return (0...9999).contains(time.date.year) ? time.text() : nil
    }
}
