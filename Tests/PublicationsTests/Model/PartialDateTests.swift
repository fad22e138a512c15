import Publications
import Testing

@Suite("Dates are read as publications write them")
struct PartialDateTests {
    @Test(
        "Texts are read as far as they are a date",
        arguments: [
            ("2022", "2022"), ("2022-05", "2022-05"), ("2022-5-9", "2022-05-09"), ("20220509", "2022-05-09"),
            ("2022/05/09", "2022-05-09"), ("2022.05.09", "2022-05-09"), (" 2022-05-09 ", "2022-05-09"),
            ("2022-05-09T14:46", "2022-05-09T14:46:00"), ("2022-05-09 14:46:07.123Z", "2022-05-09T14:46:07Z"),
            ("2022-05-09T14:46:00-0530", "2022-05-09T14:46:00-05:30"),
            ("20220509T144600Z", "2022-05-09T14:46:00Z"),
            ("2022-13-40", "2022"), ("2022-02-30", "2022-02"), ("2022-05-09T25:00", "2022-05-09"),
            ("2022-05-09junk", "2022-05-09"), ("9 May 2022", "2022-05-09"), ("May 9, 2022", "2022-05-09"),
            ("Mon, 9 May 2022 14:46:00 GMT", "2022-05-09"), ("September 1999", "1999-09"),
            ("1999, circa", "1999"),
            ("2022-05-09T14:46:00+99:99", "2022-05-09"),
        ])
    func readable(text: String, expected: String) {
        #expect(PartialDate(text: text)?.description == expected)
    }

    @Test(
        "A text that is not a date, or means an unknown one, is nil",
        arguments: [
            "", "soon", "0101-01-01", "0000", "0001-01-01T00:00:00Z", "05/09/2022", "-2022", "99", "٢٠٢٢",
        ])
    func unreadable(text: String) {
        #expect(PartialDate(text: text) == nil)
    }

    @Test("Parts outside their range, or without the part above them, are refused")
    func ranges() {
        #expect(PartialDate(year: 0) == nil)
        #expect(PartialDate(year: 10_000) == nil)
        #expect(PartialDate(year: 2000, month: 2, day: 29) != nil)
        #expect(PartialDate(year: 1900, month: 2, day: 29) == nil)
        #expect(PartialDate(year: 2000, day: 1) == nil)
        #expect(PartialDate(year: 2000, month: 4, day: 31) == nil)
        #expect(PartialDate.Time(hour: 24, minute: 0) == nil)
        #expect(PartialDate(year: 2000, month: 3)?.dayText == "2000-03-01")
        #expect(PartialDate(year: 800)?.dayText == "0800-01-01")
    }
}
