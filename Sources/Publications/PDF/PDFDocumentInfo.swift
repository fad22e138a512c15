import Platform

/// The document information dictionary (ISO 32000-1, 14.3.3) as metadata.
struct PDFDocumentInfo {
    var metadata = PublicationMetadata()
    /// The date when the dictionary was last changed, as it states.
    var changed: PartialDate?
    /// Keys with invalid values.
    var badKeys: [String] = []

    /// Reads the entries and follows references.
    init(_ entries: [String: PDFObject], of file: PDFFile) throws(PDFFault) {
        func text(_ key: String) throws(PDFFault) -> String? {
            switch try file.resolve(entries[key]) {
            case .string(let bytes): return PDFText.clean(bytes)
            // Some writers store texts as names.
            case .name(let name): return name.withoutControls()
            case .null: return nil
            default:
                badKeys.append(key)
                return nil
            }
        }
        func date(_ key: String) throws(PDFFault) -> PartialDate? {
            guard let text = try text(key) else { return nil }
            let date = PDFDate.parse(text)
            if date == nil { badKeys.append(key) }
            return date
        }
        metadata.title = try text("Title")?.collapsingSpace()
        metadata.authors = NameLists.people(try text("Author") ?? "").map {
            Contributor($0, roles: [Contributor.Role.author])
        }
        metadata.description = try text("Subject")
        metadata.subjects = NameLists.keywords(try text("Keywords") ?? "")
        // `CreationDate` is when the file was made. It is not the date of publication: the scan of an old book may be
        // recent.
        changed = try date("ModDate")
        metadata.modified = changed
    }
}

/// Parses the dates of the document information (ISO 32000-1, 7.9.4).
enum PDFDate {
    /// Parses `D:YYYYMMDDHHmmSSOHH'mm'` up to the last valid part. Other forms are parsed as `PartialDate` does.
    static func parse(_ text: String) -> PartialDate? {
        var text = Substring(text.trimmingSpace())
        if text.hasPrefix("D:") || text.hasPrefix("d:") { text = text.dropFirst(2) }
        let bytes = Array(text.utf8.prefix(40))
        let digits = bytes.prefix { PDFSyntax.decimal($0) != nil }.count
        guard digits >= 4, digits == bytes.count || digits != 4 || !"-/.".utf8.contains(bytes[4]) else {
            return PartialDate(text: String(text))
        }
        func number(_ start: Int, _ width: Int) -> Int? {
            guard digits >= start + width else { return nil }
            return bytes[start..<start + width].reduce(0) { $0 * 10 + Int($1) - 0x30 }
        }
        // Writers that count years from 1900 wrote 19100 for the year 2000.
        if digits == 15, bytes.starts(with: "191".utf8), let years = number(2, 3) {
            return parse("D:\(1900 + years)" + String(decoding: bytes[5...], as: UTF8.self))
        }
        guard let year = number(0, 4), year > 101 else { return nil }
        let yearOnly = PartialDate(year: year)
        guard let month = number(4, 2), let upToMonth = PartialDate(year: year, month: month) else {
            return yearOnly
        }
        guard let day = number(6, 2), let upToDay = PartialDate(year: year, month: month, day: day) else {
            return upToMonth
        }
        guard let hour = number(8, 2) else { return upToDay }
        let time = PartialDate.Time(
            hour: hour, minute: number(10, 2) ?? 0, second: number(12, 2) ?? 0,
            offset: offset(bytes.dropFirst(digits)))
        return time.flatMap { PartialDate(year: year, month: month, day: day, time: $0) } ?? upToDay
    }

    /// Parses an offset from UTC: `Z`, `+01'00'`, `-0530`.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let sign = bytes.first else { return nil }
        if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = bytes.dropFirst().prefix(6).compactMap(PDFSyntax.decimal)
        guard digits.count >= 2 else { return nil }
        let hours = digits[0] * 10 + digits[1]
        let minutes = digits.count >= 4 ? digits[2] * 10 + digits[3] : 0
        guard hours < 24, minutes < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }

    /// Whether a date is more than a minute after another; false if one of them has no time.
    static func isSurelyLater(_ date: PartialDate?, than other: PartialDate?) -> Bool {
        guard let first = date.flatMap(minutes), let second = other.flatMap(minutes) else { return false }
        return first > second + 1
    }

    /// The date in minutes since 1970-01-01. A time without a zone counts as UTC.
    private static func minutes(_ date: PartialDate) -> Int? {
        guard let month = date.month, let day = date.day, let time = date.time else { return nil }
        let days = CivilDay.number(year: date.year, month: month, day: day)
        return (days * 24 + time.hour) * 60 + time.minute - (time.offset ?? 0)
    }
}
