import Publications
import Testing

@Suite("The series of an EPUB is read")
struct CollectionTests {
    @Test("A collection of type series is read with its position")
    func collection() throws {
        let data = try metadata(
            """
            <meta property="belongs-to-collection" id="c">The Series</meta>
            <meta refines="#c" property="collection-type">series</meta>
            <meta refines="#c" property="group-position">2.5</meta>
            <meta refines="#c" property="file-as">Series, The</meta>
            """)
        #expect(data.series == PublicationSeries("The Series", position: 2.5, fileAs: "Series, The"))
    }

    @Test("Sets and further series are collections")
    func sets() throws {
        let data = try metadata(
            """
            <meta property="belongs-to-collection" id="a">Set</meta><meta refines="#a" property="collection-type">set</meta>
            <meta property="belongs-to-collection" id="b">One</meta><meta refines="#b" property="collection-type">series</meta>
            <meta property="belongs-to-collection" id="c">Two</meta><meta refines="#c" property="collection-type">series</meta>
            """)
        #expect(data.series == PublicationSeries("One"))
        #expect(data.collections == [PublicationSeries("Two"), PublicationSeries("Set")])
    }

    @Test("A collection without a type is a series if it is numbered and is the only one")
    func untyped() throws {
        let numbered = """
            <meta property="belongs-to-collection" id="c">X</meta><meta refines="#c" property="group-position">3</meta>
            """
        #expect(try metadata(numbered).series == PublicationSeries("X", position: 3))
        let plain = try metadata("<meta property='belongs-to-collection'>X</meta>")
        #expect(plain.series == nil)
        #expect(plain.collections == [PublicationSeries("X")])
        let both = try metadata(numbered + "<meta name='calibre:series' content='Y'/>")
        #expect(both.series == PublicationSeries("Y"))
        #expect(both.collections == [PublicationSeries("X", position: 3)])
    }

    @Test("Calibre's meta elements are read in the forms of EPUB 2 and EPUB 3")
    func calibre() throws {
        let two = try metadata(
            "<meta name='calibre:series' content='A &amp; B'/><meta name='calibre:series_index' content='4.0'/>"
        )
        #expect(two.series == PublicationSeries("A & B", position: 4))
        let three = try metadata(
            "<meta property='calibre:series'>A</meta><meta property='calibre:series_index'>1,5</meta>")
        #expect(three.series == PublicationSeries("A", position: 1.5))
    }

    @Test("Calibre's number completes a collection of the same name")
    func both() throws {
        let data = try metadata(
            """
            <meta property="belongs-to-collection" id="c">X</meta><meta refines="#c" property="collection-type">series</meta>
            <meta name="calibre:series" content="X"/><meta name="calibre:series_index" content="7"/>
            """)
        #expect(data.series == PublicationSeries("X", position: 7))
        #expect(data.collections.isEmpty)
    }

    @Test("A position that is not a number is left out and reported")
    func badPosition() throws {
        let info = try TestBook.archive(
            TestBook.package(
                """
                <dc:title>T</dc:title><meta name="calibre:series" content="X"/>
                <meta name="calibre:series_index" content="third"/>
                """)
        ).epub()
        #expect(info.metadata.series == PublicationSeries("X"))
        #expect(info.shortcomings.map(\.code) == [.badValue])
    }

    @Test(
        "Positions are read as far as they are a number",
        arguments: [
            ("2", 2), ("2.50", 2.5), ("1.2.3", 1.2), ("-1", -1), ("0", 0), ("3.", 3), ("12b", 12), ("½", nil),
            ("", nil), ("-", nil), ("1e9999", 1), (".5", nil),
        ] as [(String, Double?)])
    func positions(text: String, position: Double?) {
        #expect(PublicationSeries.position(text) == position)
    }
}
