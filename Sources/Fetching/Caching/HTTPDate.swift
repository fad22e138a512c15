/// The dates of HTTP (RFC 9110 section 5.6.7): seconds since 1970, in the three forms that servers use.
enum HTTPDate {
    /// Seconds since 1970; nil for what is no date, such as the `0` that some servers send to say "expired".
    static func parse(_ text: String) -> Int64? {
        var words = text.split { " ,-\t".contains($0) }
        // The weekday is not needed to know the day.
        guard words.count >= 5 else { return nil }
        words.removeFirst()
        if let day = number(words[0], 1...31) {
            // Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT
            guard let month = month(words[1]), let year = year(words[2]) else { return nil }
            return seconds(year, month, day, words[3])
        }
        // Sun Nov  6 08:49:37 1994
        guard let month = month(words[0]), let day = number(words[1], 1...31), let year = year(words[3])
        else { return nil }
        return seconds(year, month, day, words[2])
    }

    /// The preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ seconds: Int64) -> String {
        let day = Int((Double(seconds) / 86400).rounded(.down))
        let rest = Int(seconds) - day * 86400
        let (year, month, dayOfMonth) = civil(day)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((day % 7) + 7) % 7]
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(weekday), \(padded(dayOfMonth, 2)) \(months[month - 1]) \(padded(year, 4)) \(clock) GMT"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        ASCII.number(text).flatMap { range.contains(Int(clamping: $0)) ? Int($0) : nil }
    }

    private static func month(_ text: Substring) -> Int? {
        months.firstIndex { ASCII.lowercased($0) == ASCII.lowercased(text) }.map { $0 + 1 }
    }

    private static func year(_ text: Substring) -> Int? {
        guard let year = number(text, 0...9999) else { return nil }
        // Two digits are those of a year near the time when they were still written.
        if text.utf8.count == 2 { return year < 70 ? 2000 + year : 1900 + year }
        return year
    }

    private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ clock: Substring) -> Int64? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hours = number(parts[0], 0...23), let minutes = number(parts[1], 0...59),
            let seconds = number(parts[2], 0...60)
        else { return nil }
        return Int64(days(year, month, day)) * 86400 + Int64(hours * 3600 + minutes * 60 + seconds)
    }

    /// Days since 1970 in the Gregorian calendar: years begin in March, so that the leap day is their last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let position = (5 * dayOfYear + 2) / 153
        let month = position < 10 ? position + 3 : position - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * position + 2) / 5 + 1)
    }
}
