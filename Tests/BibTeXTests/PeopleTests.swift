import BibTeX
import Testing

@Suite("Names and dates are read")
struct PeopleTests {
    @Test(
        "Names are split like btparse does: first, von, last, junior",
        arguments: [
            ("ana de la souza", "|ana de la|souza|"), ("de", "||de|"),
            ("{de} Souza, Ana", "Ana||{de} Souza|"),
            ("Martin King Jr.", "Martin King||Jr.|"), ("King, Jr., Martin", "Martin||King|Jr."),
            ("Rivera , , Ana", "Ana||Rivera|"), ("{Acme, Tools, and Co}", "||{Acme, Tools, and Co}|"),
            ("Ana Lima Souza", "Ana Lima||Souza|"), ("Ana de la Souza", "Ana|de la|Souza|"),
            ("de la Souza, Ana", "Ana|de la|Souza|"), ("ørsted", "||ørsted|"), ("", "|||"),
            ("Jean de La fontaine du Lac", "Jean|de|La fontaine du Lac|"),
            ("de La fontaine, Jean", "Jean|de|La fontaine|"), ("La fontaine, Jean", "Jean||La fontaine|"),
            ("Hans ørsted Nielsen", "Hans ørsted||Nielsen|"),
            ("King, Jr., Martin, Luther, M", "Martin Luther M||King|Jr."),
            ("Ana~Maria de~la Souza", "Ana~Maria|de~la|Souza|"),
        ])
    func parts(text: String, expected: String) {
        let name = PersonName(parsing: text)
        #expect([name.first, name.von, name.last, name.junior].joined(separator: "|") == expected)
    }

    @Test("Lists are cut at the word and outside braces")
    func lists() {
        let names = PersonName.list("Lima, Ana  AND\n{Bell and Sons} and others")
        #expect(names.map(\.display) == ["Ana Lima", "Bell and Sons", "others"])
        #expect(PersonName.withoutOthers(names).map(\.display) == ["Ana Lima", "Bell and Sons"])
        #expect(PersonName.withoutOthers(PersonName.list("Others and {others}")).count == 2)
        #expect(PersonName.list("a } and b").count == 1)
        #expect(PersonName.list("") == [])
    }

    @Test("Names are shown, sorted and compared without TeX")
    func forms() {
        let name = PersonName(parsing: "van der M{\\\"u}ller, Jr., {Hans Peter}")
        #expect(name.display == "Hans Peter van der Müller, Jr.")
        #expect(name.inverted == "van der Müller, Jr., Hans Peter")
        #expect(PersonName(parsing: "Lima, ana").resembles(PersonName(parsing: "Ana Maria LIMA")))
        #expect(PersonName(parsing: "Lima, A.M.").resembles(PersonName(parsing: "A. M. Lima")))
        #expect(PersonName(parsing: "Lima").resembles(PersonName(parsing: "Ana Lima")))
        #expect(!PersonName(parsing: "Lima, A.").resembles(PersonName(parsing: "Ana Lima")))
        #expect(!PersonName(parsing: "Knuth, Don").resembles(PersonName(parsing: "Donald Knuth")))
    }

    @Test(
        "Dates with a time are read with any offset, in ISO 8601, and as plain days",
        arguments: [
            ("2024-05-01 10:00:00 +0200", 1_714_550_400), ("2024-05-01 08:00:00 +0000", 1_714_550_400),
            ("2024-05-01T08:00:00Z", 1_714_550_400), ("2024-05-01T03:30:00.25-04:30", 1_714_550_400),
            ("2024-05-01", 1_714_521_600),
        ] as [(String, Int64)])
    func moments(text: String, seconds: Int64) {
        #expect(BibTeXMoment(text)?.seconds == seconds)
    }

    @Test("Other texts are not read as dates")
    func noMoments() {
        for text in [
            "", "yesterday", "2024-13-01", "2024-02-30", "2024-05-01 25", "2024-05-01 x", "2024-05-01x",
            "99999999999",
        ] {
            #expect(BibTeXMoment(text) == nil)
        }
        #expect(BibTeXMoment(seconds: 1_714_550_400).text == "2024-05-01 08:00:00 +0000")
    }

    @Test(
        "Dates of publication are read as far as they are known",
        arguments: [
            ("2024", "May", "", "2024-05"), ("2001--", "", "", "2001"),
            ("in press 2020", "sept.", "", "2020-09"),
            ("2020", "13", "", "2020"), ("2020", "Frühling", "", "2020"), ("2020", "7", "", "2020-07"),
            ("2020", "3rd June", "", "2020"), ("2020", "3", "", "2020-03"), ("2020", "3 June", "", "2020-06"),
            ("", "", "2019-03-31", "2019-03-31"), ("", "", "2019-03/2020", "2019-03"), ("", "may", "", nil),
            ("12345", "", "", nil),
        ] as [(String, String, String, String?)])
    func publication(year: String, month: String, date: String, expected: String?) {
        #expect(BibTeXDate(year: year, month: month, date: date)?.text == expected)
    }

    @Test("A date has a precision")
    func precision() {
        let dates = ["1999", "1999-05", "1999-05-20"].map { BibTeXDate(year: "", month: "", date: $0) }
        #expect(dates.map { $0?.precision } == [.year, .month, .day])
    }
}
