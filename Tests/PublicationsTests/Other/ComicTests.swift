import Archives
import Formats
import Foundation
import Publications
import Testing

@Suite("Comic book archives are read")
struct ComicTests {
    private func read(_ archive: TestArchive, name: String = "comic.cbz") throws -> PublicationInfo {
        try Publication.read(from: DataByteSource(archive.data), name: name, format: .cbz)
    }

    private func pages(_ paths: String...) -> TestArchive {
        var archive = TestArchive()
        for (index, path) in paths.enumerated() { archive.add(path, TestBook.image(100 + index)) }
        return archive
    }

    private func read(comicInfo: String, at path: String = "ComicInfo.xml") throws -> PublicationInfo {
        var archive = pages("1.jpg", "2.jpg", "3.jpg")
        archive.add(path, "<?xml version='1.0'?><ComicInfo>\(comicInfo)</ComicInfo>")
        return try read(archive)
    }

    @Test("The cover is the first page as people count, and the title is the file's name")
    func plain() throws {
        let info = try read(
            pages(
                "c/page10.jpg", "c/page9.JPG", "c/page2.png", "__MACOSX/c/._page1.jpg", "c/.page0.jpg",
                "c/Thumbs.db", "notes.txt"),
            name: "My Comic 01.cbz")
        #expect(info.metadata.title == "My Comic 01")
        #expect(info.metadata.pageCount == 3)
        #expect(info.cover?.href == "c/page2.png")
        #expect(info.cover?.mediaType == .png)
        #expect(info.shortcomings.map(\.code) == [.missingTitle])
    }

    @Test(
        "Pages are counted by the numbers in their names, folder by folder",
        arguments: [
            (["10.jpg", "2.jpg", "1.jpg"], "1.jpg"), (["b.jpg", "A.jpg"], "A.jpg"),
            (["v2/1.jpg", "v1/20.jpg"], "v1/20.jpg"), (["v10/1.jpg", "v9/7.jpg"], "v9/7.jpg"),
            (["a/1.jpg", "z.jpg"], "a/1.jpg"), (["p01.jpg", "p1.jpg"], "p01.jpg"),
            (["p99999999999999999999999.jpg", "p100.jpg"], "p100.jpg"),
        ])
    func order(paths: [String], first: String) throws {
        var archive = TestArchive()
        for path in paths { archive.add(path, TestBook.image(99)) }
        #expect(try read(archive).cover?.href == first)
    }

    @Test("ComicInfo.xml says what the comic is")
    func comicInfo() throws {
        let info = try read(
            comicInfo: """
                <Title>The &amp; Title</Title><Series>Some Series</Series><Number>4.5</Number><Summary>
                Line one.
                Line two.</Summary><Year>2019</Year><Month>3</Month><Day>31</Day><Writer>A. One, B. Two</Writer>
                <Penciller>B. Two, C. Three</Penciller><Publisher>Pub</Publisher><Genre>Crime, Noir</Genre><Tags>Noir,x</Tags>
                <Web>https://example.org/a https://example.org/b</Web><LanguageISO>fr</LanguageISO><PageCount>99</PageCount>
                <CommunityRating>4.5</CommunityRating><GTIN>9783161484100</GTIN><AlternateSeries>Alt</AlternateSeries>
                <AlternateNumber>2</AlternateNumber><StoryArc>X, Y</StoryArc><StoryArcNumber>1,3</StoryArcNumber>
                """)
        let data = info.metadata
        #expect(data.title == "The & Title")
        #expect(data.series == PublicationSeries("Some Series", position: 4.5))
        #expect(
            data.collections == [
                PublicationSeries("Alt", position: 2), PublicationSeries("X", position: 1),
                PublicationSeries("Y", position: 3),
            ])
        #expect(data.description == "Line one.\nLine two.")
        #expect(data.published?.dayText == "2019-03-31")
        #expect(
            data.authors == [
                Contributor("A. One", roles: ["aut"]), Contributor("B. Two", roles: ["aut", "pnc"]),
            ])
        #expect(data.contributors == [Contributor("C. Three", roles: ["pnc"])])
        #expect(data.publisher == "Pub")
        #expect(data.subjects == ["Crime", "Noir", "x"])
        #expect(data.languages == ["fr"])
        #expect(data.rating == 4.5)
        #expect(data.isbn == "9783161484100")
        #expect(data.pageCount == 3)
        #expect(info.shortcomings.isEmpty)
    }

    @Test("An issue without a title is named by series and number, wherever its document is")
    func untitled() throws {
        let info = try read(comicInfo: "<Series>S</Series><Number>12</Number>", at: "folder/comicinfo.XML")
        #expect(info.metadata.title == "S #12")
        #expect(info.shortcomings.isEmpty)
    }

    @Test("A page marked as front cover is the cover")
    func frontCover() throws {
        let info = try read(
            comicInfo:
                "<Title>T</Title><Pages><Page Image='0' Type='Other'/><Page Image='2' Type='FrontCover'/></Pages>"
        )
        #expect(info.cover?.href == "3.jpg")
        let wrong = try read(comicInfo: "<Title>T</Title><Pages><Page Image='7' Type='FrontCover'/></Pages>")
        #expect(wrong.cover?.href == "1.jpg")
    }

    @Test("Impossible values are reported, and -1 means no value")
    func badValues() throws {
        let info = try read(
            comicInfo: """
                <Title>T</Title><Series>S</Series><Number>½</Number><Year>-1</Year><CommunityRating>9</CommunityRating>
                """)
        #expect(info.metadata.series == PublicationSeries("S"))
        #expect(info.metadata.published == nil)
        #expect(info.shortcomings.map(\.subject) == ["Number", "CommunityRating"])
        let day = try read(comicInfo: "<Title>T</Title><Year>2019</Year><Month>2</Month><Day>30</Day>")
        #expect(day.metadata.published?.description == "2019-02")
    }

    @Test("An ACBF document names title, people, series and cover")
    func acbf() throws {
        var archive = pages("1.jpg", "2.jpg")
        archive.add(
            "book.acbf",
            """
            <?xml version="1.0" encoding="UTF-8"?><ACBF xmlns="http://www.fictionbook-lib.org/xml/acbf/1.1"><meta-data>
            <book-info><author activity="Writer"><first-name>Ann</first-name><last-name>Writer</last-name></author>
            <author activity="Artist"><nickname>pen</nickname></author><book-title lang="de">Titel</book-title>
            <book-title lang="en">Title</book-title><genre>science_fiction</genre><keywords lang="en">a, b</keywords>
            <annotation lang="en"><p>One.</p><p>Two.</p></annotation><coverpage><image href="2.jpg"/></coverpage>
            <languages><text-layer lang="de" show="false"/><text-layer lang="en" show="true"/></languages>
            <sequence title="Seq">3</sequence></book-info><publish-info><publisher>P</publisher>
            <publish-date value="2011-02-03">February</publish-date><isbn>3-16-148410-X</isbn><license>CC</license></publish-info>
            <document-info><id>urn:uuid:A1B2C3D4-0000-1111-2222-333344445555</id></document-info></meta-data></ACBF>
            """)
        let info = try read(archive)
        let data = info.metadata
        #expect(data.title == "Title")
        #expect(data.alternateTitles == ["de": "Titel"])
        #expect(data.authors == [Contributor("Ann Writer", roles: ["aut"])])
        #expect(data.contributors == [Contributor("pen", roles: ["art"])])
        #expect(data.series == PublicationSeries("Seq", position: 3))
        #expect(data.description == "One.\n\nTwo.")
        #expect(data.subjects == ["science_fiction", "a", "b"])
        #expect(data.languages == ["en", "de"])
        #expect(data.publisher == "P")
        #expect(data.published?.dayText == "2011-02-03")
        #expect(data.isbn == "316148410X")
        #expect(data.uuid == "a1b2c3d4-0000-1111-2222-333344445555")
        #expect(data.rights == "CC")
        #expect(info.cover?.href == "2.jpg")
        #expect(info.shortcomings.isEmpty)
    }

    @Test("ComicInfo.xml counts before ACBF, which fills what it leaves out")
    func both() throws {
        var archive = pages("1.jpg")
        archive.add(
            "a.acbf",
            """
            <ACBF><meta-data><book-info><book-title>A</book-title></book-info><publish-info><publisher>P</publisher>
            </publish-info></meta-data></ACBF>
            """)
        archive.add("ComicInfo.xml", "<ComicInfo><Title>B</Title></ComicInfo>")
        let data = try read(archive).metadata
        #expect(data.title == "B")
        #expect(data.publisher == "P")
    }

    @Test("Damaged documents and archives without pages are reported")
    func damaged() throws {
        let cut = try read(comicInfo: "<Title>T</Title><Series>")
        #expect(cut.metadata.title == "T")
        #expect(cut.shortcomings.map(\.code) == [.damagedPart])
        let empty = try read(TestArchive(["a.txt": "x"]))
        #expect(empty.cover == nil)
        #expect(empty.shortcomings.map(\.code) == [.missingPart, .missingTitle])
    }
}
