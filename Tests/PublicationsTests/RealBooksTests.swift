import Formats
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

    /// The text after the first tag that begins like this in the package document, found without a parser.
    private func expected(_ tag: String, _ url: URL) throws -> String {
        let archive = try ZipArchive.open(path: url.path)
        let entry = try #require(archive.entries.first { $0.path.hasSuffix(".opf") })
        let text = String(decoding: try archive.read(entry), as: UTF8.self)
        let start = try #require(text.firstRange(of: tag))
        let open = try #require(text[start.upperBound...].firstIndex(of: ">"))
        let end = try #require(text[open...].firstRange(of: "</"))
        return String(text[text.index(after: open)..<end.lowerBound]).replacing("&amp;", with: "&")
            .replacing("&#x27;", with: "'")
    }

    @Test("The history of Debian has its title in ten languages", arguments: languages)
    func history(language: String) throws {
        let url = try RealBooks.history(language)
        let info = try read(url)
        #expect(info.metadata.title == (try expected("<dc:title", url)))
        // The Japanese book of Debian 12 declares English, so the result is English.
        #expect(info.metadata.languages == [try expected("<dc:language", url)])
        #expect(info.metadata.description?.isEmpty == false)
        #expect(info.shortcomings.isEmpty)
    }

    @Test(
        "The maintainers' guide has title, author, date and rights in six languages",
        .enabled(if: RealBooks.hasMaintainersGuide), arguments: guides)
    func guide(language: String) throws {
        let url = try RealBooks.maintainersGuide(language)
        let info = try read(url)
        #expect(info.metadata.title == (try expected("<dc:title", url)))
        #expect(info.metadata.authors == [Contributor("Osamu Aoki")])
        #expect(info.metadata.published?.dayText == (try expected("<dc:date", url)))
        #expect(info.metadata.rights?.hasPrefix("Copyright © 2014-2021 Osamu Aoki") == true)
        #expect(info.shortcomings.isEmpty)
    }

    @Test(
        "The guide's cover is found although its reference leads nowhere",
        .enabled(if: RealBooks.hasMaintainersGuide))
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
        let url = try RealBooks.developersReference()
        let info = try read(url)
        #expect(info.metadata.title == "developers-reference")
        #expect(info.metadata.authors == [Contributor("Developer's Reference Team")])
        #expect(info.metadata.publisher == "Developer's Reference Team")
        #expect(info.metadata.published?.description == (try expected("<dc:date", url)))
        #expect(info.metadata.modified?.description == (try expected("property=\"dcterms:modified\"", url)))
        #expect(info.cover == nil)
        #expect(info.shortcomings.isEmpty)
    }
}
