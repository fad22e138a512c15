import FormatSamples
import Foundation

/// A generated EPUB 3 with a cover and pictures of 100 kB each, 5 MB by default.
struct LargeBook {
    let title: String
    let cover: [UInt8]
    let content: [UInt8]

    /// - Parameters:
    ///   - number: distinguishes the book from others.
    ///   - count: the number of pictures.
    init(_ number: Int = 1, pictures count: Int = 48) {
        title = "Walden, or Life in the Woods, volume \(number)"
        cover = [0xFF, 0xD8, 0xFF, 0xE0] + Self.noise(120_000, seed: UInt64(number))
        let pictures = (1...count).map {
            ZipBuilder.Entry(
                "OEBPS/images/\($0).jpg", Self.noise(100_000, seed: UInt64(number * 1000 + $0)))
        }
        let items = (1...count).map {
            "<item id=\"i\($0)\" href=\"images/\($0).jpg\" media-type=\"image/jpeg\"/>\n<item id=\"c\($0)\" "
                + "href=\"chapter\($0).xhtml\" media-type=\"application/xhtml+xml\"/>\n"
        }
        let package = """
            <?xml version="1.0" encoding="UTF-8"?>
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:uuid:1</dc:identifier>
            <dc:title>\(title)</dc:title><dc:creator>Henry David Thoreau</dc:creator><dc:language>en</dc:language>
            </metadata>
            <manifest><item id="cover" href="cover.jpg" media-type="image/jpeg" properties="cover-image"/>
            \(items.joined())</manifest>
            <spine>\((1...count).map { "<itemref idref=\"c\($0)\"/>" }.joined())</spine></package>
            """
        let container = """
            <?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
            <rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
            </container>
            """
        let chapters = (1...count).map {
            ZipBuilder.Entry("OEBPS/chapter\($0).xhtml", Self.noise(2000, seed: UInt64($0)))
        }
        content = ZipBuilder.archive(
            [.init("mimetype", "application/epub+zip"), .init("META-INF/container.xml", container)] + chapters
                + pictures[..<(count / 2)] + [.init("OEBPS/cover.jpg", cover)] + pictures[(count / 2)...]
                + [.init("OEBPS/content.opf", package)])
    }

    private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        }
    }
}
