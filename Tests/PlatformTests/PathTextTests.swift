import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("Paths are taken apart byte by byte, as file systems do")
struct PathTextTests {
    @Test(
        "A path is divided into folder and name",
        arguments: [
            ("a/b", "a", "b"), ("/b", "", "b"), ("b", nil, "b"), ("a/", "a", ""), ("", nil, ""),
            ("a/\u{301}b", "a", "\u{301}b"),
            ("\u{E9}/\u{1F468}\u{200D}\u{1F469}", "\u{E9}", "\u{1F468}\u{200D}\u{1F469}"),
        ] as [(String, String?, String)])
    func split(path: String, folder: String?, name: String) {
        #expect(path.pathFolder.map { Array($0.utf8) } == folder.map { Array($0.utf8) })
        #expect(Array(path.pathName.utf8) == Array(name.utf8))
    }

    @Test(
        "A path is split at each slash",
        arguments: [
            ("", [""]), ("/", ["", ""]), ("a//b/", ["a", "", "b", ""]),
            ("/\u{301}/\u{301}", ["", "\u{301}", "\u{301}"]),
        ] as [(String, [String])])
    func parts(path: String, parts: [String]) {
        #expect(path.pathParts.map { Array($0.utf8) } == parts.map { Array($0.utf8) })
        #expect(path.pathNames.count == parts.count { !$0.isEmpty })
        #expect(path.pathParts.joined(separator: "/").utf8.elementsEqual(path.utf8))
    }

    @Test("A slash counts before any character")
    func slashes() {
        #expect("/\u{301}".isAbsolutePath && !"a/".isAbsolutePath && !"".isAbsolutePath)
        #expect("a/".endsInSlash && !"a/\u{301}".endsInSlash)
        #expect("a/\u{301}".hasSlash && !"a".hasSlash)
        #expect(Array("//\u{301}a/".withoutFirstSlashes.utf8) == Array("\u{301}a/".utf8))
        #expect("//".withoutFirstSlashes.isEmpty)
    }

    @Test(
        "A name is divided into stem and extension",
        arguments: [
            ("a.epub", "a", "epub"), ("a.b.c", "a.b", "c"), (".hidden", ".hidden", ""), ("a", "a", ""),
            ("a.", "a", ""),
            ("\u{301}.epub", "\u{301}", "epub"), ("", "", ""),
        ])
    func endings(name: String, stem: String, ending: String) {
        #expect(Array(name.nameStem.utf8) == Array(stem.utf8))
        #expect(name.nameEnding == ending)
    }

    @Test("A folder is made with those above it, also below a name that begins with a mark")
    func folders() throws {
        let folder = try TemporaryFolder()
        let deep = folder.path("a/\u{301}b/c")
        #expect(makeFolders(deep, mode: 0o700) == 0)
        #expect(makeFolders(deep, mode: 0o700) == 0)
        var status = stat()
        #expect(stat(deep, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(FileManager.default.createFile(atPath: folder.path("file"), contents: nil))
        #expect(makeFolders(folder.path("file"), mode: 0o700) == ENOTDIR)
        #expect(makeFolders(folder.path("file/below"), mode: 0o700) == ENOTDIR)
        #expect(makeFolders("", mode: 0o700) == ENOENT)
    }
}
