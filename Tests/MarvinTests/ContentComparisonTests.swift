import OverlayKitTesting
import Foundation
import OverlayKit
import TestSupport
import Testing

@testable import Marvin

@Suite("A book has the content of a file when the whole directories of both archives are the same")
struct ContentComparisonTests {
    let host: MarvinTestHost
    let marvin: FakeMarvin

    init() throws {
        host = try MarvinTestHost(TemporaryFolder())
        marvin = try FakeMarvin(host)
    }

    /// An EPUB whose directory is longer than 64 KiB and 150 KiB in all.
    private func epub(_ chapter: String) -> [UInt8] {
        var fixture = ZipFixture([])
        fixture.entries = [
            ("mimetype", Array("application/epub+zip".utf8)),
            ("META-INF/container.xml", Array("<container/>".utf8)),
        ]
        for number in 0..<1500 {
            let name = "OEBPS/chapters/\(String(repeating: "x", count: 50))-\(number).xhtml"
            fixture.entries.append((name, Array((number == 200 ? chapter : "text").utf8)))
        }
        return fixture.bytes()
    }

    private func add(_ bytes: [UInt8]) throws {
        try marvin.add("there.epub", uuid: "other", title: "Other")
        try Data(bytes).write(to: host.url("Documents/there.epub"))
    }

    @Test("A book that differs only in an early part is another book") func earlyDifference() throws {
        try add(epub("one"))
        #expect(epub("one").count == epub("two").count)
        #expect(try host.upload([host.item("u-1", epub("two"))]).rows.map(\.outcome) == [.added])
    }

    @Test("The same book under another identifier is found without fetching it")
    func otherIdentifier() throws {
        try add(epub("one"))
        host.resetCounts()
        let (rows, _) = try host.upload([host.item("u-1", epub("one"))])
        #expect(rows.map(\.outcome) == [.skipped] && rows[0].path == "there.epub")
        #expect(host.operations.filter { $0 == "read_many /Documents/there.epub" }.count == 3)
    }

    @Test("An archive with a comment at its end is compared like any other") func archiveComment() throws {
        var fixture = ZipFixture(["mimetype", "META-INF/container.xml", "a.xhtml"])
        fixture.comment = 60_000
        try add(fixture.bytes())
        #expect(try host.upload([host.item("u-1", fixture.bytes())]).rows.map(\.outcome) == [.skipped])
    }
}
