import Platform

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
        let time = CivilTime(secondsSince1970: seconds)
        let date = time.date
        let number = CivilDay.number(year: date.year, month: date.month, day: date.day)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((number % 7) + 7) % 7]
        return
            "\(weekday), \(date.day.padded(2)) \(months[date.month - 1]) \(date.year.padded(4)) \(time.clock) GMT"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

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
        return Int64(CivilDay.number(year: year, month: month, day: day)) * CivilTime.secondsPerDay
            + Int64(hours * 3600 + minutes * 60 + seconds)
    }
}
