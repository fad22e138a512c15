import Foundation
import Platform
import Testing

@Suite("Days and seconds are converted")
struct CalendarTests {
    @Test(
        "Numbers of days belong to known days",
        arguments: [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (-25_509, 1900, 2, 28),
            (-25_508, 1900, 3, 1),
            (-719_162, 1, 1, 1), (-719_528, 0, 1, 1), (2_932_896, 9999, 12, 31),
        ])
    func days(number: Int, year: Int, month: Int, day: Int) {
        let found = CivilDay(number)
        #expect((found.year, found.month, found.day) == (year, month, day))
        #expect(CivilDay.number(year: year, month: month, day: day) == number)
    }

    @Test("Every day of four centuries follows the one before, and Foundation's calendar agrees")
    func everyDay() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        var last = CivilDay(-1)
        for number in 0..<146_097 {
            let next = CivilDay(number)
            let isLater = next.day == last.day + 1 && next.month == last.month && next.year == last.year
            let isNewMonth =
                next.day == 1 && last.day == CivilDay.days(inMonth: last.month, ofYear: last.year)
            guard isLater || isNewMonth,
                CivilDay.number(year: next.year, month: next.month, day: next.day) == number
            else {
                Issue.record("\(next) follows \(last)")
                return
            }
            if number % 1000 == 0 {
                let date = Date(timeIntervalSince1970: Double(number) * 86_400)
                let parts = calendar.dateComponents([.year, .month, .day], from: date)
                #expect((parts.year, parts.month, parts.day) == (next.year, next.month, next.day))
            }
            last = next
        }
    }

    @Test("Days that a month does not have count on into the next one")
    func overflow() {
        #expect(
            CivilDay.number(year: 2023, month: 2, day: 31) == CivilDay.number(year: 2023, month: 3, day: 3))
    }

    @Test(
        "Seconds have a day and a clock, also before 1970",
        arguments: [
            (784_111_777, "1994-11-6 08:49:37"), (-1, "1969-12-31 23:59:59"),
            (-86_400, "1969-12-31 00:00:00"),
            (0, "1970-1-1 00:00:00"),
        ] as [(Int64, String)])
    func clock(seconds: Int64, expected: String) {
        let time = CivilTime(secondsSince1970: seconds)
        #expect("\(time.date.year)-\(time.date.month)-\(time.date.day) \(time.clock)" == expected)
    }

    @Test(
        "A date is a day of the calendar",
        arguments: [
            ("2023-02-28", true), ("2024-02-29", true), ("2023", false), ("2023-02", false), ("xx", false),
            ("2023-02-29", false), ("2023-13-01", false), ("23-02-01", false), ("2023-2-1", false),
            ("0000-01-01", false),
            ("2024-02-29T10:00:00Z", false), ("2023-02-1x", false), ("", false),
        ])
    func dates(text: String, isDate: Bool) {
        #expect(CivilDay.isDay(text) == isDate)
    }

    @Test(
        "A time has the form of RFC 3339, in the calendar of today also long ago",
        arguments: [
            (784_111_777, "1994-11-06T08:49:37"), (-12_219_292_801, "1582-10-14T23:59:59"),
            (.min, "0001-01-01T00:00:00"), (.max, "9999-12-31T23:59:59"),
        ] as [(Int64, String)])
    func texts(seconds: Int64, expected: String) {
        #expect(CivilTime(nearestTo: seconds).text() == expected + "Z")
        #expect(CivilTime(nearestTo: seconds).text(zone: "+00:00") == expected + "+00:00")
    }

    @Test("Numbers get zeros in front, and keep what is wider")
    func padding() {
        #expect(7.padded(3) == "007" && 1234.padded(3) == "1234" && UInt64.max.padded(1) == "\(UInt64.max)")
    }
}
