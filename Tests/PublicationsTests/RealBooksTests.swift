import Archives
import Foundation
import Markup
import Publications
import TestSupport
import Testing

@Suite("Real books of Debian's documentation are read")
struct RealBooksTests {
    private static let languages = ["de", "en", "es", "fr", "it", "ja", "ko", "lt", "pt", "ru"]
    private static let guides = ["de", "en", "ja", "ru", "zh-cn", "zh-tw"]

    private func read(_ url: URL) throws -> PublicationInfo {
        try Publication.read(
            from: FileByteSource(path: url.path), name: url.lastPathComponent, format: .epub)
    }

    /// The title as the text between the tags of the package document, found without a parser.
    private func expectedTitle(_ url: URL) throws -> String {
        let archive = try ZipArchive.open(path: url.path)
        let entry = try #require(archive.entries.first { $0.path.hasSuffix(".opf") })
        let text = String(decoding: try archive.read(entry), as: UTF8.self)
        let start = try #require(text.firstRange(of: "<dc:title"))
        let open = try #require(text[start.upperBound...].firstIndex(of: ">"))
        let end = try #require(text[open...].firstRange(of: "</dc:title>"))
        return String(text[text.index(after: open)..<end.lowerBound]).replacing("&amp;", with: "&")
            .replacing("&#x27;", with: "'")
    }

    @Test("The history of Debian has its title in ten languages", arguments: languages)
    func history(language: String) throws {
        let url = try RealBooks.history(language)
        let info = try read(url)
        #expect(info.metadata.title == (try expectedTitle(url)))
        // The Japanese one says that it is English; so says what is read.
        #expect(info.metadata.languages == [language == "ja" ? "en" : language])
        #expect(info.metadata.description?.isEmpty == false)
        #expect(info.shortcomings.isEmpty)
    }

    @Test("The maintainers' guide has title, author, date and rights in six languages", arguments: guides)
    func guide(language: String) throws {
        let url = try RealBooks.maintainersGuide(language)
        let info = try read(url)
        #expect(info.metadata.title == (try expectedTitle(url)))
        #expect(info.metadata.authors == [Contributor("Osamu Aoki")])
        #expect(info.metadata.published?.dayText == "2022-05-09")
        #expect(info.metadata.rights?.hasPrefix("Copyright © 2014-2021 Osamu Aoki") == true)
        #expect(info.shortcomings.isEmpty)
    }

    @Test("The guide's cover is found although its reference leads nowhere")
    func strayCover() throws {
        let info = try read(RealBooks.maintainersGuide("en"))
        let cover = try #require(info.cover)
        #expect(cover.href == "OEBPS/debian-openlogo.png")
        #expect(cover.mediaType == .png)
        let bytes = try cover.read()
        #expect(Int64(bytes.count) == cover.size)
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    @Test("The developer's reference is an EPUB 3 with publisher and time of change, and no cover")
    func developersReference() throws {
        let info = try read(RealBooks.developersReference())
        #expect(info.metadata.title == "developers-reference")
        #expect(info.metadata.authors == [Contributor("Developer's Reference Team")])
        #expect(info.metadata.publisher == "Developer's Reference Team")
        #expect(info.metadata.published?.description == "2023-03-06T18:06:57Z")
        #expect(info.metadata.modified?.description == "2023-03-06T18:06:57Z")
        #expect(info.cover == nil)
        #expect(info.shortcomings.isEmpty)
    }
}
