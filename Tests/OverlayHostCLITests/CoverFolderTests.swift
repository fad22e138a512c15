import Foundation
import OverlayHost
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("Covers are kept as files, under keys that show whether they may have changed")
struct CoverFolderTests {
    private func book(_ path: String, size: UInt64 = 5) -> Book {
        Book(path: path, coverMediaType: "image/png", coverSize: size)
    }

    @Test("A kept cover stays until its book is gone or changes its cover")
    func keeping() throws {
        let folder = try TemporaryFolder()
        let covers = CoverFolder(in: folder.path, udid: "0000", bundleID: "org.example.app")
        let files = try ["/a", "/b", "/c"].map { try #require(covers.file(of: book($0))) }
        #expect(Set(files).count == 3)
        #expect(covers.there(of: Set(files)).isEmpty)
        for file in files { #expect(covers.store([1, 2, 3], at: file)) }
        let changed = try #require(covers.file(of: book("/a", size: 6)))
        #expect(covers.there(of: Set(files + [changed])) == Set(files))
        // A cover that another program has just stored is not in this program's list yet.
        for file in [files[0], files[1]] {
            #expect(utimensat(AT_FDCWD, file, [timespec(), timespec()], 0) == 0)
        }
        #expect(covers.keep(only: [files[0], changed]) == [files[0]])
        #expect(files.map(covers.has) == [true, false, true])
        covers.forget(book("/a"))
        #expect(covers.there(of: Set(files)) == [files[2]])
    }

    @Test("A folder with more files than are read of it loses none of them")
    func many() throws {
        let folder = try TemporaryFolder()
        let covers = CoverFolder(in: folder.path, udid: "0000", bundleID: "org.example.app")
        let files = Set((0..<4200).compactMap { covers.file(of: book("/\($0)")) })
        let place = try #require(
            files.first.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path })
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for file in files { #expect(FileManager.default.createFile(atPath: file, contents: nil)) }
        #expect(covers.there(of: files) == files)
        #expect(covers.keep(only: files) == files)
        #expect(covers.has(files.first ?? ""))
    }

    @Test("Apps and devices with any name stay in their own folders")
    func names() throws {
        let covers = CoverFolder(in: "/covers", udid: "../x", bundleID: "a/b")
        let file = try #require(covers.file(of: book("/a")))
        #expect(file.hasPrefix("/covers/___x/a_b/"))
        #expect(CoverFolder(in: "/covers", udid: "", bundleID: "").file(of: Book(path: "/a")) == nil)
    }
}
