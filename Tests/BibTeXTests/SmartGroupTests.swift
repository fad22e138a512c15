import BibTeX
import Testing

@Suite("Conditions of smart groups choose entries")
struct SmartGroupTests {
    /// 2026-07-15 12:00 in UTC, a Wednesday.
    private let clock = GroupClock(now: 1_784_116_800)

    private let source = """
        @string{jot = {Journal of Things}}
        @article{Lima:1, author = {Lima, Ana and Rui Souza}, title = {{\\"U}ber Things}, journal = jot, year = 1999,
          keywords = {Optics; Light}, read = {yes}, rating = 3, bdsk-file-1 = {a.pdf}, bdsk-file-2 = {b.pdf},
          date-added = {2026-07-14 10:00:00 +0000}}
        @book{Kim, title = {Whole}, year = {2010}, bdsk-url-1 = {http://x}, date-added = {2026-06-20 10:00:00 +0000}}
        @inbook{Part, title = {Half}, crossref = {KIM}}
        """

    private func keys(_ key: String, _ comparison: Int?, _ value: String, version: Int = 1) -> [String]? {
        keys([SmartCondition(key: key, comparison: comparison, value: value, version: version)])
    }

    private func keys(_ conditions: [SmartCondition], any: Bool = false) -> [String]? {
        let rows = conditions.map { condition in
            "<dict><key>key</key><string>\(condition.key)</string>"
                + (condition.comparison.map { "<key>comparison</key><integer>\($0)</integer>" } ?? "")
                + "<key>value</key><string>\(condition.value)</string>"
                + "<key>version</key><string>\(condition.version)</string></dict>"
        }
        let group =
            "@comment{BibDesk Smart Groups{<plist><array><dict><key>conditions</key><array>\(rows.joined())"
            + "</array><key>conjunction</key><integer>\(any ? 1 : 0)</integer>"
            + "<key>group name</key><string>G</string></dict></array></plist>}}"
        let library = BibTeXLibrary(document(source + "\n" + group))
        let groups = SmartGroups(library, clock: clock)
        return library.document.groups.first.flatMap { groups.entries(of: $0) }?.compactMap {
            library.block($0).key
        }
    }

    @Test(
        "Paths of files and linked URLs are compared as texts, and one match is enough",
        arguments: [
            ("Local File", 4, "B.PDF", ["Lima:1"]), ("Local File", 5, "b.pdf", ["Kim", "Part"]),
            ("Local File", 6, "b", ["Lima:1"]), ("Local File", 7, ".pdf", ["Lima:1"]),
            ("Local File", 7, "a", []), ("Remote URL", 4, "HTTP", ["Kim"]), ("Remote URL", 6, "x", []),
            ("Remote URL", 4, "", []),
        ])
    func links(key: String, comparison: Int, value: String, expected: [String]) {
        #expect(keys(key, comparison, value) == expected)
    }

    @Test("A mark is not inherited from a parent")
    func inheritedMarks() {
        let library = BibTeXLibrary(
            document(
                """
                @book{p, title = {P}, seen = {yes}}
                @inbook{c, crossref = {p}}
                @comment{BibDesk Smart Groups{<plist><array><dict><key>conditions</key><array><dict><key>key</key>
                <string>Seen</string><key>comparison</key><integer>4</integer><key>value</key><string>1</string>
                <key>version</key><string>1</string></dict></array><key>conjunction</key><integer>0</integer>
                <key>group name</key><string>G</string></dict></array></plist>}}
                """))
        let groups = SmartGroups(library, kinds: FieldKinds(boolean: ["Seen"]), clock: clock)
        let found = library.document.groups.first.flatMap { groups.entries(of: $0) }
        #expect(found?.compactMap { library.block($0).key } == ["p"])
    }

    @Test(
        "Conditions compare texts with decoded accents, expanded macros and inherited values",
        arguments: [
            ("Title", 2, "über", ["Lima:1"]), ("Title", 3, "über", ["Kim", "Part"]),
            ("journal", 4, "journal OF things", ["Lima:1"]),
            ("Year", 4, "2010", ["Kim", "Part"]), ("Year", 5, "2010", ["Lima:1"]),
            ("Title", 6, "wh", ["Kim"]),
            ("Title", 7, "F", ["Part"]), ("Year", 8, "2005", ["Lima:1"]),
            ("Year", 9, "300", ["Lima:1", "Kim", "Part"]),
            ("Journal", 8, "a", ["Kim", "Part"]), ("BibTeX Type", 4, "Book", ["Kim"]),
            ("Cite Key", 2, "lima", ["Lima:1"]),
            ("Title", 2, "", []), ("Title", 3, "", ["Lima:1", "Kim", "Part"]), ("Title", 6, "", []),
            ("Journal", 4, "", ["Kim", "Part"]), ("Journal", 5, "", ["Lima:1"]),
            ("Read", 4, "1", ["Lima:1"]), ("Read", 4, "0", ["Kim", "Part"]), ("Rating", 9, "2", ["Lima:1"]),
            ("Rating", 4, "0", ["Kim", "Part"]),
        ])
    func texts(key: String, comparison: Int, value: String, expected: [String]) {
        #expect(keys(key, comparison, value) == expected)
    }

    @Test(
        "A condition can name a category or any field",
        arguments: [
            ("Keywords", 0, "optics", ["Lima:1"]), ("Keywords", 0, "opt", []),
            ("Keywords", 1, "light", ["Kim", "Part"]),
            ("Author", 0, "Ana Maria Lima", ["Lima:1"]), ("Author", 0, "A. Lima", []),
            ("Any Field", 0, "Light", ["Lima:1"]),
            ("Any Field", 2, "souza", ["Lima:1"]),
            ("AllFields", 4, "Whole", ["Kim"]), ("Any Field", 6, "ha", ["Part"]),
            ("Any Field", 7, "gs", ["Lima:1"]),
            ("Any Field", 2, "2010", ["Kim", "Part"]), ("Any Field", 3, "2010", ["Lima:1"]),
        ])
    func categories(key: String, comparison: Int, value: String, expected: [String]) {
        #expect(keys(key, comparison, value) == expected)
    }

    @Test(
        "Linked files and URLs are counted",
        arguments: [
            ("Local File", 0, "2", ["Lima:1"]), ("Local File", 1, "2", ["Kim", "Part"]),
            ("Local File", 2, "0", ["Lima:1"]),
            ("Remote URL", 3, "1", ["Lima:1", "Part"]),
        ])
    func counts(key: String, comparison: Int, value: String, expected: [String]) {
        #expect(keys(key, comparison, value) == expected)
    }

    @Test(
        "A condition on the date added selects entries in its interval, and none without a date",
        arguments: [
            (0, "", []), (1, "", ["Lima:1"]), (2, "", ["Lima:1"]), (3, "", []), (4, "1 3", ["Kim"]),
            (5, "1 3", ["Lima:1"]),
            (6, "1 3", ["Kim"]), (5, "2 1", ["Lima:1"]), (7, "0 1 3", ["Lima:1", "Kim"]),
            (7, "4 3 2", ["Kim"]),
            (8, "2026-06-20 23:00:00 +0000", ["Kim"]), (9, "2026-06-20 00:00:00 +0000", ["Lima:1"]),
            (10, "2026-06-21 00:00:00 +0000", ["Kim"]),
            (11, "2026-06-20 00:00:00 +0000 to 2026-07-14 00:00:00 +0000", ["Lima:1", "Kim"]),
            (4, "0 4", ["Lima:1", "Kim"]),
        ])
    func dates(comparison: Int, value: String, expected: [String]) {
        #expect(keys("Date-Added", comparison, value) == expected)
    }

    @Test("A condition that cannot be evaluated chooses no entries, and says so")
    func unknown() {
        #expect(keys("Date-Added", 12, "") == nil)
        #expect(keys("Date-Added", 4, "x") == nil)
        #expect(keys("Date-Added", 4, "1 9") == nil)
        #expect(keys("Date-Added", 0, "", version: 0) == nil)
        #expect(keys("Title", 10, "x") == nil)
        #expect(keys("Title", nil, "x") == nil)
        #expect(keys("Local File", 0, "many") == nil)
        #expect(
            keys(
                [
                    SmartCondition(key: "Title", comparison: 2, value: "x"),
                    SmartCondition(key: "Title", comparison: 99, value: "x"),
                ], any: true) == nil)
    }

    @Test(
        "A group requires all or one of its conditions; a condition without a key matches everything"
    )
    func several() {
        let conditions = [
            SmartCondition(key: "Title", comparison: 2, value: "things"),
            SmartCondition(key: "Year", comparison: 4, value: "2010"),
        ]
        #expect(keys(conditions) == [])
        #expect(keys(conditions, any: true) == ["Lima:1", "Kim", "Part"])
        #expect(keys([]) == ["Lima:1", "Kim", "Part"])
        #expect(keys("", nil, "x") == ["Lima:1", "Kim", "Part"])
    }

    @Test("Days and weeks start by the local calendar")
    func calendar() throws {
        // An hour before midnight in UTC, the next day has begun in a zone two hours ahead.
        let source =
            "@a{k, date-added = {2026-07-15 22:30:00 +0000}}\n@comment{BibDesk Smart Groups{<plist><array><dict>"
            + "<key>conditions</key><array><dict><key>key</key><string>Date-Added</string><key>comparison</key>"
            + "<integer>0</integer><key>value</key><string></string><key>version</key><string>1</string></dict></array>"
            + "<key>conjunction</key><integer>0</integer><key>group name</key><string>G</string></dict></array></plist>}}"
        let library = BibTeXLibrary(document(source))
        let group = try #require(library.document.groups.first)
        let now: Int64 = 1_784_156_400
        #expect(SmartGroups(library, clock: GroupClock(now: now) { _ in 7200 }).entries(of: group) == [0])
        #expect(
            SmartGroups(library, clock: GroupClock(now: now + 7200) { _ in 7200 }).entries(of: group) == [0])
        #expect(SmartGroups(library, clock: GroupClock(now: now + 7200)).entries(of: group) == [])
    }

    @Test("Marks and citations form no groups of the entries that lack them, and citations are cut at commas")
    func inheritedCategories() {
        let library = BibTeXLibrary(
            document(
                """
                @book{p, seen = {yes}, state = {no}, stars = {4}, cites = {a b, C; d,, c; D}, place = {Oslo}}
                @inbook{c, crossref = {p}}
                """))
        let kinds = FieldKinds(boolean: ["Seen"], triState: ["State"], rating: ["Stars"], citation: ["Cites"])
        let groups = CategoryGroups(library, kinds: kinds)
        for name in ["Seen", "State", "Stars", "Cites"] {
            #expect(groups.values(name, of: 1).isEmpty, "\(name)")
            #expect(groups.groups(name).allSatisfy { $0.entries == [0] }, "\(name)")
        }
        #expect(groups.values("Place", of: 1) == ["Oslo"])
        #expect(groups.values("Cites", of: 0) == ["a b", "C; d"])
        #expect(CategoryGroups(library).values("Cites", of: 1) == ["a b", "C", "d"])
    }

    @Test(
        "A field with a single value is one group, whichever characters are in it",
        arguments: [
            "Type", "Crossref", "Journal", "Booktitle", "Volumetitle", "Year", "Month", "Publisher",
            "Address",
            "Seen", "Stars",
        ])
    func wholeValues(field: String) {
        let library = BibTeXLibrary(document("@a{k, \(field) = {A, B; C: D and E}}"))
        let groups = CategoryGroups(library, kinds: FieldKinds(boolean: ["Seen"], rating: ["Stars"]))
        #expect(groups.values(field, of: 0) == ["A, B; C: D and E"])
    }

    @Test(
        "The type of an entry is not its field of that name, and further persons are not a group")
    func typesAndOthers() {
        let library = BibTeXLibrary(
            document("@report{k, type = {Memo}, author = {Ana Lima and others}}@misc{l, author = {others}}"))
        let groups = CategoryGroups(library)
        #expect(groups.groups("BibTeX Type").map(\.name) == ["misc", "report"])
        #expect(groups.groups("Type").map(\.name) == ["Memo"])
        #expect(groups.groups("Author").map(\.name) == ["Ana Lima"])
    }

    @Test("Groups by keyword and author are made of the entries")
    func categoriesOfLibrary() {
        let library = BibTeXLibrary(document(source + "\n@misc{x, keywords = {light and optics}}"))
        let groups = CategoryGroups(library)
        #expect(groups.groups("Keywords").map(\.name) == ["Light", "Optics"])
        #expect(groups.groups("Keywords")[0].entries.count == 2)
        #expect(groups.groups("Author").map(\.name) == ["Ana Lima", "Rui Souza"])
        #expect(groups.groups("Journal").map(\.name) == ["Journal of Things"])
        #expect(groups.groups("Title").isEmpty)
    }
}
