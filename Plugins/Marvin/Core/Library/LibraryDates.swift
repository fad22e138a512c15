/// Seconds since 1970 as Marvin stores them, truncated; nil when no calendar could show them.
func wholeSeconds(_ seconds: Double) -> Int64? {
    // Years 1 to 9999, which is also far inside what Int64 holds.
    guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
    return Int64(seconds)
}

/// The day, UTC, of so many seconds since 1970 as `YYYY-MM-DD`; nil when it lies outside the years 1 to 9999.
///
/// Dates before 1970 are negative numbers. The calendar is the proleptic Gregorian one, counted here because a calendar
/// of the system costs more than the rest of the listing.
func civilDate(ofSeconds seconds: Double) -> String? {
    guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
    let truncated = Int(seconds)
    let whole = Double(truncated) > seconds ? truncated - 1 : truncated
    let days = (whole >= 0 ? whole : whole - 86_399) / 86_400
    // Counted from 0000-03-01 in eras of 400 years (146,097 days), so that the leap day is a year's last.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
}

private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
