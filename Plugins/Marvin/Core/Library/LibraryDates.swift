import CommandProtocol

/// Seconds since 1970 as Marvin stores them, truncated; nil when no calendar could show them.
func wholeSeconds(_ seconds: Double) -> Int64? {
    // Years 1 to 9999, which is also far inside what Int64 holds.
    guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
    return Int64(seconds)
}

/// The day, UTC, of so many seconds since 1970 as `YYYY-MM-DD`; nil when it lies outside the years 1 to 9999.
///
/// Dates before 1970 are negative numbers.
func civilDate(ofSeconds seconds: Double) -> String? {
    wholeSeconds(seconds.rounded(.down)).flatMap(PublicationDate.init(unixSeconds:))?.description
}
