import Foundation
import Testing

@testable import Marvin

@Suite("Seconds become days of the proleptic Gregorian calendar")
struct LibraryDatesTests {
    @Test(
        "A day is computed correctly",
        arguments: [
            (0.0, "1970-01-01"), (-1, "1969-12-31"), (-0.5, "1969-12-31"), (86_399.9, "1970-01-01"),
            (951_782_400, "2000-02-29"), (1_709_164_800, "2024-02-29"), (4_107_542_400, "2100-03-01"),
            (-62_135_596_800, "0001-01-01"), (-58_979_923_200, "0101-01-01"), (253_402_300_799, "9999-12-31"),
        ])
    func oneDay(seconds: Double, day: String) {
        #expect(civilDate(ofSeconds: seconds) == day)
    }

    @Test(
        "A value outside the four-digit years is not a date",
        arguments: [-62_135_596_801.0, 253_402_300_800, .infinity, -.infinity, .nan, 1e300])
    func outOfRange(seconds: Double) {
        #expect(civilDate(ofSeconds: seconds) == nil)
        #expect(wholeSeconds(seconds) == nil)
    }

    @Test("Every day agrees with the calendar of the system") func everyDay() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for day in stride(from: -40_000, through: 60_000, by: 97) {
            let seconds = Double(day) * 86_400
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: seconds))
            let expected = try String(
                format: "%04d-%02d-%02d", #require(parts.year), #require(parts.month), #require(parts.day))
            #expect(civilDate(ofSeconds: seconds) == expected)
        }
    }

    @Test(
        "Authors are split at the separator that Marvin joins them with",
        arguments: [("A B", ["A B"]), ("A, B", ["A", "B"]), ("", []), (", ,, ", [","]), ("A,B", ["A,B"])])
    func authors(text: String, authors: [String]) {
        #expect(LibraryBook(fileName: "x", author: text).authors == authors)
    }
}
