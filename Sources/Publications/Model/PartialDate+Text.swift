extension PartialDate {
    /// Parses the date at the beginning of a text. Accepts W3C-DTF and ISO 8601 (`2022`, `2022-05`, `2022-05-09`,
    /// with or without time and zone), the same with slashes, dots or no separators, and `RFC 822` dates as in feeds.
    ///
    /// Ignores everything after the last valid part, so that `2022-13-40` is the year 2022. Nil if there is no year,
    /// and for years up to 101, which calibre and other programs write for "unknown".
    public init?(text: String) {
        var scanner = DateScanner(text)
        scanner.skipSpace()
        if let date = scanner.isoDate() ?? DateScanner.wordyDate(text) {
            guard date.year > 101 else { return nil }
            self = date
        } else {
            return nil
        }
    }
}

/// Scans numbers from the beginning of a text.
private struct DateScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        // No date is longer than this.
        rest = text.prefix(64).utf8
    }

    mutating func skipSpace() {
        while let byte = rest.first, byte == 0x20 || (0x09...0x0D).contains(byte) { rest = rest.dropFirst() }
    }

    /// Consumes a number of exactly `width` digits; consumes nothing if there are fewer.
    private mutating func number(_ width: Int) -> Int? {
        let digits = rest.prefix(width)
        guard digits.count == width, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(width)
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    /// Consumes one or two digits.
    private mutating func shortNumber() -> Int? {
        number(2) ?? number(1)
    }

    private mutating func take(_ bytes: [UInt8]) -> UInt8? {
        guard let byte = rest.first, bytes.contains(byte) else { return nil }
        rest = rest.dropFirst()
        return byte
    }

    private var nextIsDigit: Bool { rest.first.map { (0x30...0x39).contains($0) } ?? false }

    mutating func isoDate() -> PartialDate? {
        guard let year = number(4), let whole = PartialDate(year: year) else { return nil }
        let separators = Array("-/.".utf8)
        let separator = take(separators)
        guard separator != nil || nextIsDigit else { return whole }
        guard let month = separator == nil ? number(2) : shortNumber(),
            let upToMonth = PartialDate(year: year, month: month)
        else { return whole }
        if let separator {
            guard take([separator]) != nil else { return upToMonth }
        }
        guard let day = separator == nil ? number(2) : shortNumber(),
            let upToDay = PartialDate(year: year, month: month, day: day)
        else { return upToMonth }
        guard take(Array("Tt ".utf8)) != nil, let time = time() else { return upToDay }
        return PartialDate(year: year, month: month, day: day, time: time) ?? upToDay
    }

    private mutating func time() -> PartialDate.Time? {
        let colon = [UInt8(ascii: ":")]
        guard let hour = number(2) else { return nil }
        let isSpaced = take(colon) != nil
        guard let minute = number(2) else { return nil }
        var second = 0
        if isSpaced ? take(colon) != nil : nextIsDigit { second = number(2) ?? 0 }
        if take(Array(".,".utf8)) != nil {
            while nextIsDigit { rest = rest.dropFirst() }
        }
        return PartialDate.Time(hour: hour, minute: minute, second: second, offset: offset())
    }

    private mutating func offset() -> Int? {
        if take(Array("Zz".utf8)) != nil { return 0 }
        guard let sign = take(Array("+-".utf8)), let hours = number(2) else { return nil }
        _ = take([UInt8(ascii: ":")])
        let minutes = hours * 60 + (number(2) ?? 0)
        return sign == UInt8(ascii: "-") ? -minutes : minutes
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Parses dates with an English month name: `09 May 2022`, `May 9, 2022`, `Mon, 9 May 2022 14:46:00 GMT`.
    static func wordyDate(_ text: String) -> PartialDate? {
        var year: Int?
        var month: Int?
        var day: Int?
        let words = text.prefix(64).utf8.split { byte in
            !(0x30...0x39).contains(byte) && !(0x41...0x5A).contains(byte) && !(0x61...0x7A).contains(byte)
        }
        for word in words.prefix(8) {
            let word = Substring(word)
            if let number = Int(word) {
                if word.utf8.count == 4, year == nil {
                    year = number
                } else if word.utf8.count <= 2, day == nil {
                    day = number
                }
            } else if month == nil, word.utf8.count >= 3,
                let index = months.firstIndex(of: word.prefix(3).lowercased())
            {
                month = index + 1
            }
        }
        // Without the name of a month, the order of the numbers is ambiguous.
        guard let year, let month else { return nil }
        return PartialDate(year: year, month: month, day: day) ?? PartialDate(year: year, month: month)
    }
}
