import Foundation

/// A ZIP archive that a test writes byte by byte; entries are stored, not compressed.
struct ZipFixture {
    var entries: [(name: String, content: [UInt8])]
    /// Bytes of the comment at the end of the archive.
    var comment = 0

    init(_ names: [String]) { entries = names.map { ($0, Array("content of \($0)".utf8)) } }

    /// An EPUB with the entries of a real one, and some text that distinguishes it from others.
    static func epub(_ text: String = "") -> [UInt8] {
        var fixture = ZipFixture([])
        fixture.entries = [
            ("mimetype", Array("application/epub+zip".utf8)),
            ("META-INF/container.xml", Array("<container/>".utf8)), ("OEBPS/text.xhtml", Array(text.utf8)),
        ]
        return fixture.bytes()
    }

    /// An EPUB that a reader can open.
    static func book(_ title: String, uuid: String, text: String = "x") -> [UInt8] {
        let container = """
            <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>
            <rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:uuid:\(uuid)</dc:identifier>
            <dc:title>\(title)</dc:title><dc:creator>Ann Author</dc:creator><dc:language>en</dc:language></metadata>
            <manifest><item id="t" href="t.xhtml" media-type="application/xhtml+xml"/></manifest>
            <spine><itemref idref="t"/></spine></package>
            """
        var fixture = ZipFixture([])
        fixture.entries = [
            ("mimetype", Array("application/epub+zip".utf8)),
            ("META-INF/container.xml", Array(container.utf8)),
            ("content.opf", Array(package.utf8)),
            ("t.xhtml", Array("<html><body><p>\(text)</p></body></html>".utf8)),
        ]
        return fixture.bytes()
    }

    func bytes() -> [UInt8] {
        var (archive, directory): ([UInt8], [UInt8]) = ([], [])
        for (name, content) in entries {
            let sizes =
                little(Self.checksum(content), 4) + little(content.count, 4) + little(content.count, 4)
            let common = little(20, 2) + little(0, 2) + little(0, 2) + little(0, 4) + sizes
            directory += [0x50, 0x4B, 1, 2] + little(20, 2) + common + little(name.utf8.count, 2)
            directory += little(0, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4)
            directory += little(archive.count, 4) + Array(name.utf8)
            archive += [0x50, 0x4B, 3, 4] + common + little(name.utf8.count, 2) + little(0, 2)
            archive += Array(name.utf8) + content
        }
        let count = little(entries.count, 2)
        let end =
            [0x50, 0x4B, 5, 6] + little(0, 4) + count + count + little(directory.count, 4)
            + little(archive.count, 4) + little(comment, 2) + [UInt8](repeating: 0x20, count: comment)
        return archive + directory + end
    }

    private func little(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// CRC-32 as ZIP uses it.
    private static func checksum(_ bytes: [UInt8]) -> Int {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return Int(value ^ 0xFFFF_FFFF)
    }
}
