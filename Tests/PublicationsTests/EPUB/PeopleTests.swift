import Publications
import Testing

@Suite("The people who made an EPUB are read")
struct PeopleTests {
    @Test("Roles and sort forms of EPUB 3 come from refinements")
    func refinements() throws {
        let data = try metadata(
            """
            <dc:creator id="a">Jules Verne</dc:creator><dc:creator id="i">Léon Benett</dc:creator>
            <dc:contributor id="t">Some Body</dc:contributor>
            <meta refines="#a" property="role" scheme="marc:relators">aut</meta>
            <meta refines="#a" property="file-as">Verne, Jules</meta>
            <meta refines="#i" property="role" scheme="marc:relators">ill</meta>
            <meta refines="#t" property="role" scheme="marc:relators">trl</meta>
            <meta refines="#t" property="role" scheme="marc:relators">edt</meta>
            """)
        #expect(data.authors == [Contributor("Jules Verne", fileAs: "Verne, Jules", roles: ["aut"])])
        #expect(
            data.contributors == [
                Contributor("Léon Benett", roles: ["ill"]), Contributor("Some Body", roles: ["trl", "edt"]),
            ])
        #expect(data.authorSort == "Verne, Jules")
    }

    @Test("Roles and sort forms of EPUB 2 come from attributes, with or without a declared prefix")
    func attributes() throws {
        let data = try metadata(
            """
            <dc:creator opf:role="aut" opf:file-as="Verne, Jules">Jules Verne</dc:creator>
            <dc:creator role="aut">Another One</dc:creator><dc:contributor opf:role="BKP">calibre</dc:contributor>
            """)
        #expect(data.authors.map(\.name) == ["Jules Verne", "Another One"])
        #expect(data.authorSort == "Verne, Jules & Another One")
        #expect(data.contributors == [Contributor("calibre", roles: ["bkp"])])
    }

    @Test("Creators without an author among them are the authors all together")
    func noAuthor() throws {
        let data = try metadata(
            "<dc:creator opf:role='edt'>E</dc:creator><dc:creator opf:role='ill'>I</dc:creator>")
        #expect(data.authors.map(\.name) == ["E", "I"])
        #expect(data.contributors.isEmpty)
    }

    @Test(
        "Words and addresses for a role mean its MARC code",
        arguments: [
            ("Author", "aut"), ("marc:aut", "aut"), ("http://id.loc.gov/vocabulary/relators/trl", "trl"),
            ("TRL", "trl"), ("Cover Artist", "cov"), ("dowser", "dowser"),
        ])
    func roleWords(word: String, code: String) throws {
        let data = try metadata("<dc:contributor opf:role='\(word)'>X</dc:contributor>")
        #expect(data.contributors.first?.roles == [code])
    }

    @Test("Creators follow display-seq, and an empty sort form is ignored")
    func order() throws {
        let data = try metadata(
            """
            <dc:creator id="a" opf:file-as="">Second</dc:creator><dc:creator id="b">First</dc:creator><dc:creator> </dc:creator>
            <meta refines="#a" property="display-seq">2</meta><meta refines="#b" property="display-seq">1</meta>
            """)
        #expect(data.authors.map(\.name) == ["First", "Second"])
        #expect(data.authors.map(\.fileAs) == [nil, nil])
        #expect(data.authorSort == nil)
    }

    @Test("Names in other scripts are kept by language")
    func alternates() throws {
        let data = try metadata(
            """
            <dc:creator id="a">村上 春樹</dc:creator>
            <meta refines="#a" property="alternate-script" xml:lang="en">Haruki Murakami</meta>
            """)
        #expect(data.authors.first?.alternateNames == ["en": "Haruki Murakami"])
    }
}
