import Foundation
import Testing

@testable import Marvin

@Suite("A file is an EPUB by its content, and when it is not it is called by its name")
struct EpubCheckTests {
    private func verdict(_ bytes: [UInt8]) -> EpubVerdict {
        EpubCheck<Never>(size: UInt64(bytes.count)) { offset, count in
            #expect(offset <= UInt64(bytes.count))
            return Array(bytes[Int(offset)..<min(bytes.count, Int(offset) + count)])
        }.verdict()
    }

    @Test func `an EPUB is one`() {
        #expect(verdict(ZipFixture.epub()) == .epub)
    }

    @Test func `the mimetype may stand anywhere or nowhere`() {
        #expect(verdict(ZipFixture(["x.html", "META-INF/container.xml", "mimetype"]).bytes()) == .epub)
        #expect(verdict(ZipFixture(["META-INF/container.xml"]).bytes()) == .epub)
    }

    @Test func `a comment behind the archive is passed over`() {
        var fixture = ZipFixture(["META-INF/container.xml"])
        fixture.comment = 65_535
        #expect(verdict(fixture.bytes()) == .epub)
    }

    @Test func `bytes behind the archive are passed over`() {
        #expect(verdict(ZipFixture.epub() + [UInt8](repeating: 0, count: 300)) == .epub)
    }

    @Test func `only the first and last part of a large book are read`() {
        let size: UInt64 = 4 << 30
        let archive = ZipFixture.epub()
        var read = 0
        _ = EpubCheck<Never>(size: size) { offset, count in
            read += count
            let all = offset == 0 ? archive : [UInt8](repeating: 0, count: count)
            return Array(all.prefix(count))
        }.verdict()
        #expect(read < 70_000)
    }

    static let others: [(String, [UInt8])] = [
        ("a PDF document", Array("%PDF-1.4\n".utf8)),
        ("an HTML page", Array("  <!DOCTYPE html><html>".utf8)),
        ("a plain text file", Array("Call me Ishmael.\n".utf8)),
        ("an empty file", []),
        ("a Kindle book (MOBI)", [UInt8](repeating: 0, count: 60) + Array("BOOKMOBI".utf8)),
        ("a RAR archive", Array("Rar!\u{1A}\u{7}".utf8)),
        ("a FictionBook file", Array("<?xml version='1.0'?><FictionBook>".utf8)),
        ("a file of another kind", [0, 1, 2, 3]),
        ("a damaged or empty ZIP archive", ZipFixture([]).bytes()),
        ("a ZIP archive without META-INF/container.xml", ZipFixture(["a.txt", "b.txt"]).bytes()),
        ("a comic archive (CBZ)", ZipFixture(["1.jpg", "2.png"]).bytes()),
        ("a Word document", ZipFixture(["[Content_Types].xml", "word/document.xml"]).bytes()),
        ("an OpenDocument file", ZipFixture(["content.xml", "META-INF/manifest.xml"]).bytes()),
        ("a ZIP archive with an EPUB inside", ZipFixture(["book.epub"]).bytes()),
        ("a ZIP archive with 2 EPUBs inside", ZipFixture(["a.epub", "b.EPUB"]).bytes()),
        ("a ZIP archive without META-INF/container.xml", ZipFixture(["meta-inf/CONTAINER.xml"]).bytes()),
    ]

    @Test(arguments: others)
    func `another file is named`(name: String, bytes: [UInt8]) {
        #expect(verdict(bytes) == .other(name))
    }

    @Test func `an EPUB cut off anywhere is never taken for one and never traps`() {
        let bytes = ZipFixture.epub("text")
        for size in 0..<bytes.count {
            #expect(verdict(Array(bytes.prefix(size))) != .epub, "\(size)")
        }
        guard case .damaged(let reason) = verdict(Array(bytes.prefix(bytes.count - 30))) else {
            Issue.record("a cut-off EPUB is damaged")
            return
        }
        #expect(reason.contains("incomplete"))
    }

    @Test func `a byte changed anywhere never traps`() {
        let bytes = ZipFixture.epub("text")
        for index in bytes.indices {
            for value in [0, 0x7F, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = value
                _ = verdict(changed)
            }
        }
    }

    @Test func `a ZIP64 directory is followed, and one that points outside is damage`() {
        let bytes = ZipFixture.epub()
        let end = bytes.count - 22
        let (size, offset) = (UInt64(bytes.u32(end + 12)), UInt64(bytes.u32(end + 16)))
        func wide(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        func archive(_ offset: UInt64) -> [UInt8] {
            var record: [UInt8] = [0x50, 0x4B, 6, 6] + wide(44) + [UInt8](repeating: 0, count: 12)
            record += wide(3) + wide(3) + wide(size) + wide(offset)
            let locator: [UInt8] = [0x50, 0x4B, 6, 7, 0, 0, 0, 0] + wide(UInt64(end)) + [1, 0, 0, 0]
            var tail = Array(bytes[end...])
            for index in 8..<20 { tail[index] = 0xFF }
            return Array(bytes[..<end]) + record + locator + tail
        }
        #expect(verdict(archive(offset)) == .epub)
        #expect(verdict(archive(.max)) == .damaged("The directory of the ZIP archive lies outside the file."))
    }
}
