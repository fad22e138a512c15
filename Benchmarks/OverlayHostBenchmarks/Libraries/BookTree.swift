import FormatSamples
import Foundation

/// A folder tree of small EPUBs, 100 in each folder, with times in whole seconds.
struct BookTree {
    let folder: URL
    /// The size in bytes of the picture in each book, which is most of the book.
    let bytes: Int

    /// Writes the books with these numbers. Another `edition` has other content of the same size.
    func write(_ numbers: Range<Int>, edition: Int = 1) throws {
        for number in numbers {
            let file = file(number)
            if number % 100 == 0 || number == numbers.lowerBound {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            try Data(content(number, edition)).write(to: file)
            // The time depends on the edition as well, because rsync does not notice a change within one second.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000 + Double(edition))],
                ofItemAtPath: file.path)
        }
    }

    /// Copies the whole tree, including times.
    func copy(to other: URL) throws {
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        _ = try ProgramRun.of(["/bin/cp", "-a", folder.path + "/.", other.path])
    }

    private func file(_ number: Int) -> URL {
        folder.appendingPathComponent("shelf \(number / 100)/Book \(number).epub")
    }

    private func content(_ number: Int, _ edition: Int) -> [UInt8] {
        let package = """
            <?xml version="1.0" encoding="UTF-8"?>
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">bench:\(number)</dc:identifier>
            <dc:title>Book \(number)</dc:title><dc:creator>Author \(number % 500)</dc:creator><dc:language>en</dc:language>
            </metadata>
            <manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>
            <item id="p" href="p.jpg" media-type="image/jpeg"/></manifest>
            <spine><itemref idref="c"/></spine></package>
            """
        let container = """
            <?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
            <rootfiles><rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles>
            </container>
            """
        var state = UInt64(number * 1000 + edition) &* 0x9E37_79B9_7F4A_7C15 | 1
        let noise = (0..<bytes).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        }
        return ZipBuilder.archive([
            .init("mimetype", "application/epub+zip"), .init("META-INF/container.xml", container),
            .init("content.opf", package),
            .init(
                "c.xhtml",
                "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>\(number)</title></head><body>Text</body></html>"
            ),
            .init("p.jpg", noise),
        ])
    }
}
