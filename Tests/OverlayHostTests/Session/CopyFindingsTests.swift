import Archives
import Foundation
import HostContent
import OverlayServices
import Platform
import TestSupport
import Testing

@testable import OverlayHost

@Suite("What is found out about copies while others come")
struct CopyFindingsTests {
    private static let image: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]
    private let folder: TemporaryFolder
    private let findings = CopyFindings()

    init() throws { folder = try TemporaryFolder() }

    /// Writes a file, and examines it as the reader of staged copies does.
    private func examine(_ bytes: Data, _ name: String) throws -> String {
        let path = folder.path(name)
        try bytes.write(to: URL(fileURLWithPath: path))
        let content = OpenContent(try FileByteSource(path: path), name: name, isFar: false)
        defer { content.close() }
        findings.examine(path, content)
        return path
    }

    private static func epub() -> Data {
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata
            xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Emma</dc:title></metadata><manifest>
            <item id="c" href="a.jpg" media-type="image/jpeg" properties="cover-image"/></manifest></package>
            """
        let container = """
            <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        var archive = ZipBuilder()
        archive.entries = [
            .init("mimetype", Data("application/epub+zip".utf8)),
            .init("META-INF/container.xml", Data(container.utf8)), .init("c.opf", Data(package.utf8)),
            .init("a.jpg", Data(image)),
        ]
        return archive.data()
    }

    @Test("The checksum and the cover of a copy are known after it was moved, and given once")
    func moved() throws {
        let bytes = Self.epub()
        let path = try examine(bytes, "copy.epub")
        let copies = PullFolder(parent: folder.url.path)
        defer { copies.remove() }
        let copy = try BackupCopy(FetchedBook(path: path), in: copies, findings: findings)
        let cover = try #require(copy.cover)
        #expect(cover.mediaType == "image/jpeg" && cover.size == Int64(Self.image.count))
        #expect(cover.read(from: copy.path) == Self.image)
        #expect(findings.take(copy.path) == nil)
        // The checksum is not read from the copy again.
        try Data("other".utf8).write(to: URL(fileURLWithPath: copy.path))
        let checksum = try copy.checksum()
        #expect(checksum.size == UInt64(bytes.count))
        #expect(checksum.digest == Digest.of(Array(bytes), .sha256).map { Hex.text($0) })
    }

    @Test("Nothing is known about another file, or about a copy that changed")
    func changed() throws {
        let path = try examine(Self.epub(), "copy.epub")
        #expect(findings.take(folder.path("other.epub")) == nil)
        try Data("another content".utf8).write(to: URL(fileURLWithPath: path))
        #expect(findings.take(path) == nil)
    }

    @Test("A copy that is not an archive has a checksum and no known cover")
    func plain() throws {
        let path = try examine(Data("<html><head><title>Emma</title></head></html>".utf8), "copy.html")
        let finding = try #require(findings.take(path))
        #expect(finding.cover == nil && finding.checksum.size == 45)
    }

    @Test("A cover that has gone from the copy counts as missing")
    func gone() throws {
        let path = try examine(Self.epub(), "copy.epub")
        let cover = try #require(findings.take(path)?.cover)
        try Data("no archive".utf8).write(to: URL(fileURLWithPath: path))
        #expect(cover.read(from: path) == nil)
        #expect(cover.read(from: folder.path("missing")) == nil)
    }
}
