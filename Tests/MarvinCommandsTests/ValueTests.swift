import Foundation
import Testing

@testable import MarvinCommands

@Suite("Timestamps, dates and Base64 are read and written")
struct ValueTests {
    @Test("A timestamp has one fraction digit")
    func timestamp() {
        #expect(CommandTimestamp(seconds: 1_364_148_473).text == "1364148473.0")
        #expect(CommandTimestamp(tenths: 17_000_000_059).text == "1700000005.9")
        #expect(CommandTimestamp(tenths: -5).text == "-0.5")
        #expect(CommandTimestamp(tenths: .min).seconds != nil)
        #expect(CommandTimestamp(text: "12.75").seconds == 12.75)
        #expect(CommandTimestamp(text: "nan").seconds == nil)
        #expect(CommandTimestamp(text: "soon").seconds == nil)
    }

    @Test(
        "A date that is not in the calendar is refused",
        arguments: [
            (0, 1, 1), (10_000, 1, 1), (2012, 0, 1), (2012, 13, 1), (2012, 1, 0), (2012, 4, 31),
            (2013, 2, 29), (1900, 2, 29),
        ])
    func noDate(year: Int, month: Int, day: Int) {
        #expect(PublicationDate(year: year, month: month, day: day) == nil)
    }

    @Test(
        "A date is written with four digits for the year and read in several forms",
        arguments: [
            ("2012-01-01", "2012-01-01"), ("476-9-4", "0476-09-04"), ("1999", "1999-01-01"),
            ("2004-02", "2004-02-01"),
            ("2004-02-29T23:59:59Z", "2004-02-29"), ("2004-02-29 10:00", "2004-02-29"), ("", nil),
            ("None", nil),
            ("2004-02-30", nil), ("1-2-3-4", nil), ("-5-01-01", nil), ("99999999999999999999", nil),
        ] as [(String, String?)])
    func dateText(text: String, expected: String?) {
        #expect(PublicationDate(text: text)?.description == expected)
    }

    @Test(
        "Days and Unix seconds agree with Foundation's calendar",
        arguments: [
            "0001-01-01", "0004-02-29", "0476-09-04", "1582-10-15", "1600-02-29", "1899-12-31", "1969-12-31",
            "1970-01-01",
            "2000-02-29", "2012-01-01", "2038-01-19", "2100-03-01", "9999-12-31",
        ])
    func unixSeconds(text: String) throws {
        let date = try #require(PublicationDate(text: text))
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        #expect(PublicationDate(unixSeconds: date.unixSeconds) == date)
        #expect(PublicationDate(unixSeconds: date.unixSeconds + 86_399) == date)
        // Foundation changes to the Julian calendar before 15 October 1582.
        guard date.year > 1582 else { return }
        let parts = calendar.dateComponents(
            [.year, .month, .day], from: Date(timeIntervalSince1970: Double(date.unixSeconds)))
        #expect([parts.year, parts.month, parts.day] == [date.year, date.month, date.day])
    }

    @Test(
        "Points in time outside the years 1 to 9999 have no date",
        arguments: [
            Int64.min, -62_135_596_801, 253_402_300_800, Int64.max,
        ])
    func outsideCalendar(seconds: Int64) {
        #expect(PublicationDate(unixSeconds: seconds) == nil)
    }
}
