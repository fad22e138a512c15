import Platform

/// A time that BibDesk records in an entry, such as `2026-07-18 10:11:12 +0200`.
public struct BibTeXMoment: Hashable, Sendable, Comparable {
    /// Seconds since 1970-01-01 00:00 UTC.
    public let seconds: Int64

    /// The moment that is a number of seconds after 1970-01-01 00:00 UTC.
    public init(seconds: Int64) { self.seconds = seconds }

    /// Reads BibDesk's form, ISO 8601, and days without a time, which mean midnight UTC. Nil for any other text.
    public init?(_ text: String) {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2),
            scanner.take("-"),
            let day = scanner.number(2), (1...12).contains(month),
            (1...CivilDay.days(inMonth: month, ofYear: year)).contains(day)
        else { return nil }
        var seconds = Int64(CivilDay.number(year: year, month: month, day: day)) * CivilTime.secondsPerDay
        if scanner.take(" ") || scanner.take("T") {
            while scanner.take(" ") {}
            guard let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), hour < 25,
                minute < 60
            else { return nil }
            var second = 0
            if scanner.take(":") {
                guard let number = scanner.number(2), number < 62 else { return nil }
                second = number
                if scanner.take(".") { while scanner.number(1) != nil {} }
            }
            seconds += Int64(hour * 3600 + minute * 60 + second)
            while scanner.take(" ") {}
            let isEast = scanner.take("+")
            if isEast || scanner.take("-") {
                guard let hours = scanner.number(2) else { return nil }
                _ = scanner.take(":")
                let offset = Int64(hours * 3600 + (scanner.number(2) ?? 0) * 60)
                seconds += isEast ? -offset : offset
            } else {
                _ = scanner.take("Z")
            }
        }
        while scanner.take(" ") {}
        guard scanner.isAtEnd else { return nil }
        self.seconds = seconds
    }

    /// The moment in BibDesk's form, in UTC.
    public var text: String {
        let time = CivilTime(secondsSince1970: seconds)
        return "\(time.date.text) \(time.clock) +0000"
    }

    /// Earlier moments first.
    public static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}

/// The date when a work was published, as precisely as it is known.
public struct BibTeXDate: Hashable, Sendable {
    /// The year.
    public let year: Int
    /// The month, 1 to 12; nil if it is not given.
    public let month: Int?
    /// The day of the month; nil if it is not given.
    public let day: Int?

    /// How precise a date is.
    public enum Precision: String, Sendable, Hashable {
        /// Only the year is known.
        case year
        /// Year and month are known.
        case month
        /// The day is known.
        case day
    }

    /// How precise the date is.
    public var precision: Precision { month == nil ? .year : day == nil ? .month : .day }

    /// `2026`, `2026-07` or `2026-07-18`.
    public var text: String {
        var text = year.padded(4)
        if let month { text += "-" + month.padded(2) }
        if let day, month != nil { text += "-" + day.padded(2) }
        return text
    }

    /// The date from the fields `year` and `month`, with macros expanded, or else from `date` in ISO 8601.
    ///
    /// The year is the first run of four digits; of a range of dates, the first counts. A month is given by its
    /// English name, at least the first three letters of that, or its number. If it has letters, its digits do not
    /// count.
    public init?(year: String, month: String, date: String = "") {
        if let number = Self.year(in: year) {
            self.year = number
            self.month = Self.month(in: month)
            day = nil
            return
        }
        var scanner = DigitScanner(date)
        guard let number = scanner.number(4) else {
            guard let number = Self.year(in: date) else { return nil }
            self.year = number
            self.month = nil
            day = nil
            return
        }
        self.year = number
        guard scanner.take("-"), let month = scanner.number(2), (1...12).contains(month) else {
            self.month = nil
            day = nil
            return
        }
        self.month = month
        guard scanner.take("-"), let day = scanner.number(2),
            (1...CivilDay.days(inMonth: month, ofYear: number)).contains(day)
        else {
            day = nil
            return
        }
        self.day = day
    }

    private static func year(in text: String) -> Int? {
        var digits = ""
        for character in text + " " {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else {
                if digits.count == 4 { return Int(digits) }
                digits = ""
            }
        }
        return nil
    }

    private static func month(in text: String) -> Int? {
        let letters = text.drop { !$0.isLetter }.prefix { $0.isLetter }.lowercased()
        if !letters.isEmpty {
            guard letters.count >= 3 else { return nil }
            return BibTeXMacros.months.firstIndex { $0.lowercased().hasPrefix(letters) }.map { $0 + 1 }
        }
        let digits = text.drop { !$0.isNumber }.prefix { $0.isASCII && $0.isNumber }
        return Int(digits).flatMap { (1...12).contains($0) ? $0 : nil }
    }
}

/// Reads digits and other characters of a short text.
private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = TextFolding.trimmed(text)[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// A number with exactly `count` digits.
    mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
