import Foundation
import Formats
import Libraries
import OverlayServices
import Platform
import Publications
import TestSupport
import Testing

@testable import HostContract
@testable import OverlayHost

@Suite("What is found out about copies while others come")
struct CopyFindingsTests {
    private static let image: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]
    private let folder: TemporaryFolder
    private let findings = CopyFindings()

    init() throws { folder = try TemporaryFolder() }

    private func write(_ bytes: Data, _ name: String) throws -> String {
        let path = folder.path(name)
        try bytes.write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func publication(_ href: String = "a.jpg", _ type: String = "image/jpeg", size: Int? = nil)
        -> PublicationInfo
    {
        let cover = Cover(
            mediaType: MediaType(type) ?? .epub, href: href, size: Int64(size ?? image.count)
        ) { () throws(PublicationError) in Data() }
        return PublicationInfo(format: .epub, cover: cover)
    }

    /// An archive with an image that nothing declares as the cover.
    private static func archive() -> Data {
        var archive = ZipBuilder()
        archive.entries = [.init("a.jpg", Data(image))]
        return archive.data()
    }

    @Test("The checksum and the cover of a copy are known after it was moved, and given once")
    func moved() throws {
        let bytes = Self.archive()
        let staged = try write(bytes, "staged")
        findings.examine(staged, Self.publication())
        let fetched = folder.path("fetched")
        try FileManager.default.moveItem(atPath: staged, toPath: fetched)
        findings.moved(staged, to: fetched)
        let copies = PullFolder(parent: folder.url.path)
        defer { copies.remove() }
        let copy = try BackupCopy(FetchedBook(path: fetched), in: copies, findings: findings)
        let cover = try #require(copy.cover)
        #expect(cover.mediaType == "image/jpeg" && cover.read(from: copy.path) == Self.image)
        #expect(findings.take(fetched) == nil && findings.take(staged) == nil)
        // The checksum is not read from the copy again.
        try Data("other".utf8).write(to: URL(fileURLWithPath: copy.path))
        let checksum = try copy.checksum()
        #expect(checksum.size == UInt64(bytes.count))
        #expect(checksum.digest == Digest.of(Array(bytes), .sha256).map { Hex.text($0) })
    }

    @Test("A known cover is taken from the copy, also if parsing the copy would not find it")
    func used() throws {
        let path = try write(Self.archive(), "copy.epub")
        findings.examine(path, Self.publication())
        let copies = PullFolder(parent: folder.url.path)
        defer { copies.remove() }
        let copy = try BackupCopy(FetchedBook(path: path), in: copies, findings: findings)
        var book = BookRecord(path: "/copy.epub")
        book.cover = BookCover(mediaType: "image/jpeg", size: UInt64(Self.image.count))
        let steps = BackupPlanner.plan(
            [book.book], BackupManifest(device: "d", deviceName: nil, app: "a", appName: "A"),
            describe: { _ in BackupDescription(mark: "m", author: "A", title: "T") })
        let covers = BackupCovers(try BookList([book.book]), steps)
        let arrival = covers.read(FetchedBackupFile(step: 0, paper: nil, answer: .success(copy)))
        guard case .read(let found) = arrival.coverInCopy else {
            Issue.record("The cover was not looked for.")
            return
        }
        #expect(found == Self.image)
    }

    @Test("Nothing is known about another file with the same bytes, or about a copy that changed")
    func changed() throws {
        let (path, other) = (try write(Self.archive(), "copy"), try write(Self.archive(), "other"))
        findings.examine(path, Self.publication())
        #expect(findings.take(other) == nil)
        // As if another file with the same size had been moved there.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
        #expect(findings.take(path) == nil)
        findings.examine(path, Self.publication())
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seek(toOffset: 10)
        try file.write(contentsOf: Data([1]))
        try file.close()
        #expect(findings.take(path) == nil)
    }

    @Test("A copy without metadata has a checksum, and a copy that cannot be opened has none")
    func plain() throws {
        let path = try write(Data("Emma".utf8), "copy.txt")
        findings.examine(path, nil)
        let finding = try #require(findings.take(path))
        #expect(finding.cover == nil && finding.checksum.size == 4)
        findings.examine(folder.path("missing"), nil)
        #expect(findings.take(folder.path("missing")) == nil)
    }

    @Test("A cover that is not as it was found is not given")
    func gone() throws {
        let path = try write(Self.archive(), "copy")
        for publication in [Self.publication("b.jpg"), Self.publication(size: Self.image.count + 1)] {
            findings.examine(path, publication)
            let cover = try #require(findings.take(path)?.cover)
            #expect(cover.read(from: path) == nil)
            #expect(cover.read(from: folder.path("missing")) == nil)
        }
    }

    @Test("Long texts of a hostile book, and more than 4,096 copies, are not remembered")
    func bounded() throws {
        let path = try write(Self.archive(), "copy")
        for publication in [
            Self.publication(String(repeating: "a", count: 1025)),
            Self.publication("a.jpg", "image/" + String(repeating: "a", count: 250)),
        ] {
            findings.examine(path, publication)
            let finding = try #require(findings.take(path))
            #expect(finding.cover == nil)
        }
        for number in 0..<4096 {
            findings.examine(path, nil)
            findings.moved(path, to: folder.path("\(number)"))
        }
        findings.examine(path, nil)
        #expect(findings.take(path) == nil)
    }
}
