import Archives
import Fetching
import Foundation
import TestSupport
import Testing

@Suite("Local HREFs are looked up literally first, and never above the root")
struct LookupTests {
    /// The same files in an archive and in a folder.
    private func fetchers(_ names: [String]) throws -> (folder: TemporaryFolder, fetchers: [any Fetcher]) {
        let outer = try TemporaryFolder()
        var builder = ZipBuilder()
        for name in names {
            try outer.write(name, "root/" + name)
            builder.entries.append(ZipBuilder.Entry(name, Data(name.utf8)))
        }
        try outer.write("secret", "etc")
        return (
            outer,
            [ArchiveFetcher(archive: try archive(builder)), FileFetcher(href: "/", path: outer.path("root"))]
        )
    }

    private func expect(_ hrefs: [String: String?], _ names: [String]) throws {
        let (folder, fetchers) = try fetchers(names)
        for fetcher in fetchers {
            for (href, wanted) in hrefs {
                let result = fetcher.get(href: href).readAsString()
                if let wanted {
                    #expect(try result.get() == wanted, "\(href) in \(type(of: fetcher))")
                } else {
                    #expect(result == .failure(.notFound()), "\(href) in \(type(of: fetcher))")
                }
            }
        }
        withExtendedLifetime(folder) {}
    }

    @Test("An HREF is found with and without slash, query, fragment and encoding")
    func interpretations() throws {
        let name = "A folder/Sub.folder%/file.txt"
        try expect(
            [
                "/A folder/Sub.folder%/file.txt": name, "A folder/Sub.folder%/file.txt": name,
                "/A%20folder/Sub.folder%25/file.txt": name, "/A folder/Sub.folder%/file.txt?q#f": name,
                "/A%20folder/Sub.folder%25/file.txt#f?q": name, "//A folder//Sub.folder%/./file.txt": name,
                "/x/../A folder/Sub.folder%/file.txt": name, "/a folder/Sub.folder%/file.txt": nil,
            ], [name])
    }

    @Test("A literal name wins over its interpretation")
    func literal() throws {
        try expect(
            [
                "/a?b": "a?b", "/a#b": "a#b", "/a%20b": "a%20b", "/a b": "a b", "/c?b": "c", "/a%3Fb": "a?b",
                "/a%2520b": "a%20b", "/a?b#c": nil,
            ], ["a?b", "a#b", "a%20b", "a b", "c"])
    }

    @Test("A path that climbs, has a NUL or names nothing is not found")
    func refused() throws {
        // A file with that name inside shows that climbing is not only stopped at the root.
        let names = ["a", "folder/b", "etc"]
        try expect(
            [
                "": nil, "/": nil, ".": nil, "..": nil, "/../etc": nil, "../etc": nil, "..%2f..%2fetc": nil,
                "/..%2fetc": nil, "/%2e%2e/etc": nil, "/folder/../../etc": nil, "/a\0": nil, "/a%00": nil,
                "/%00": nil,
                "#a": nil, "?a": nil, "/folder": nil, "/folder/": nil, "/folder/.": nil, "/a/": nil,
                "/a/b": nil,
                "/folder/../a": "a", "/folder/b": "folder/b", "http://h/a": nil,
            ], names)
    }

    @Test("A backslash is an ordinary character")
    func backslash() throws {
        try expect([#"/a\b"#: #"a\b"#, "/a/b": nil, #"/..\a\b"#: nil], [#"a\b"#])
    }

    @Test("Exact bytes come before canonical equality, and both spellings stay reachable")
    func normalisation() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let (folder, both) = try fetchers([composed + "/x", decomposed + "/x"])
        for fetcher in both {
            for name in [composed, decomposed] {
                #expect(try fetcher.get(href: "/\(name)/x").read().get() == Data("\(name)/x".utf8))
            }
        }
        let (other, one) = try fetchers([decomposed + "/x"])
        for fetcher in one {
            #expect(try fetcher.get(href: "/\(composed)/x").read().get() == Data("\(decomposed)/x".utf8))
            #expect(try fetcher.get(href: "/caf%C3%A9/x").read().get() == Data("\(decomposed)/x".utf8))
        }
        withExtendedLifetime((folder, other)) {}
    }
}
