import Archives
import Fetching
import Foundation
import TestSupport
import Testing

@Suite("Files are served below their mapping and nowhere else")
struct FileFetcherTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("inside", "book/a.txt")
        try folder.write("deep", "book/sub/b.html")
        try folder.write("secret", "book-secret/s.txt")
        try folder.write("other", "other/c.txt")
    }

    private func text(_ fetcher: FileFetcher, _ href: String) -> Result<String, ResourceError> {
        fetcher.get(href: href).readAsString()
    }

    @Test("Mappings match at the boundary of a segment, the longest first")
    func matching() {
        let fetcher = FileFetcher(paths: [
            "/dir": folder.path("book"), "/dir/sub": folder.path("other"), "file": folder.path("book/a.txt"),
        ])
        #expect(text(fetcher, "/dir/a.txt") == .success("inside"))
        #expect(text(fetcher, "dir/a.txt") == .success("inside"))
        #expect(text(fetcher, "/dir/sub/c.txt") == .success("other"))
        #expect(text(fetcher, "/dir/sub/b.html") == .failure(.notFound()))
        #expect(text(fetcher, "/dir_x/a.txt") == .failure(.notFound()))
        #expect(text(fetcher, "/di/a.txt") == .failure(.notFound()))
        #expect(text(fetcher, "/file") == .success("inside"))
        #expect(text(fetcher, "/file/a.txt") == .failure(.notFound()))
        #expect(text(fetcher, "/dir") == .failure(.notFound()))
        #expect(text(fetcher, "/unmapped") == .failure(.notFound()))
        #expect(
            text(FileFetcher(href: "/x/", path: folder.path("book") + "/"), "/x/a.txt") == .success("inside"))
    }

    @Test("A sibling whose name begins alike is not reached")
    func sibling() {
        let fetcher = FileFetcher(href: "/", path: folder.path("book"))
        for href in [
            "/../book-secret/s.txt", "/..%2fbook-secret/s.txt", "-secret/s.txt", "/x/../../book-secret/s.txt",
        ] {
            #expect(text(fetcher, href) == .failure(.notFound()))
        }
    }

    @Test("Links are followed as long as they stay inside, however they are written")
    func links() throws {
        try folder.link("book/in", to: "sub/b.html")
        try folder.link("book/in-absolute", to: folder.path("book/sub/b.html"))
        try folder.link("book/in-folder", to: "sub")
        try folder.link("book/in-and-out", to: "../book/a.txt")
        try folder.link("book/out", to: "../book-secret/s.txt")
        try folder.link("book/out-absolute", to: folder.path("book-secret/s.txt"))
        try folder.link("book/out-folder", to: "../book-secret")
        try folder.link("book/loop", to: "loop")
        try folder.link("book/dangling", to: "absent")
        let fetcher = FileFetcher(href: "/", path: folder.path("book"))
        for href in ["/in", "/in-absolute", "/in-folder/b.html"] {
            #expect(text(fetcher, href) == .success("deep"))
        }
        #expect(text(fetcher, "/in-and-out") == .success("inside"))
        for href in ["/out", "/out-absolute", "/out-folder/s.txt", "/loop", "/dangling"] {
            #expect(text(fetcher, href) == .failure(.notFound()), "\(href)")
        }
        #expect(fetcher.links.map(\.href) == ["/a.txt", "/in", "/in-absolute", "/in-and-out", "/sub/b.html"])
    }

    @Test("A mapped path may itself be a link")
    func mappedLink() throws {
        try folder.link("shelf", to: "book")
        #expect(text(FileFetcher(href: "/", path: folder.path("shelf")), "/sub/b.html") == .success("deep"))
    }

    @Test("Folders, pipes and devices are not found, and a pipe is not waited for")
    func specialFiles() {
        #expect(mkfifo(folder.path("book/pipe"), 0o600) == 0)
        let fetcher = FileFetcher(paths: [
            "/": folder.path("book"), "/folder": folder.path("book"), "/pipe2": folder.path("book/pipe"),
            "/null": "/dev/null",
        ])
        for href in ["/pipe", "/pipe2", "/null", "/folder", "/sub"] {
            #expect(text(fetcher, href) == .failure(.notFound()), "\(href)")
        }
    }

    @Test("A file without permission is forbidden", .enabled(if: getuid() != 0))
    func permission() {
        #expect(chmod(folder.path("book/a.txt"), 0) == 0)
        #expect(text(FileFetcher(href: "/", path: folder.path("book")), "/a.txt") == .failure(.forbidden()))
    }

    @Test("`get` and `link` touch nothing: a file that comes later is read")
    func lazy() throws {
        let fetcher = FileFetcher(href: "/", path: folder.path("late"))
        let resource = fetcher.get(href: "/x.css")
        #expect(resource.link.type == "text/css")
        #expect(resource.read() == .failure(.notFound()))
        try folder.write("later", "late/x.css")
        #expect(try resource.readAsString().get() == "later")
    }

    @Test("The link keeps its type, or gets that of the extension; the file is the path")
    func enrichment() {
        let fetcher = FileFetcher(href: "/x", path: folder.path("book"))
        #expect(fetcher.get(href: "/x/sub/b.html").link.type == "text/html")
        #expect(fetcher.get(Link(href: "/x/a.txt", type: "text/x")).link.type == "text/x")
        #expect(fetcher.get(href: "/x/sub/b.html").file?.path == folder.path("book/sub/b.html"))
        #expect(fetcher.get(href: "/x/absent").file == nil)
    }

    @Test("Links are regular files of all depths, hidden ones too, sorted by the bytes of their HREFs")
    func listing() throws {
        for name in ["Z", "a b", ".hidden", "é.png", "sub/.x/y.xhtml", "B"] {
            try folder.write("", "book/" + name)
        }
        let fetcher = FileFetcher(paths: [
            "/m": folder.path("book"), "/m/sub/.x": folder.path("other"),
            "/single.pdf": folder.path("book/a.txt"),
            "/absent": folder.path("absent"),
        ])
        #expect(
            fetcher.links.map(\.href) == [
                "/m/.hidden", "/m/B", "/m/Z", "/m/a b", "/m/a.txt", "/m/sub/.x/c.txt", "/m/sub/b.html",
                "/m/é.png",
                "/single.pdf",
            ])
        for link in fetcher.links { #expect(fetcher.get(link).length.error == nil, "\(link.href)") }
        #expect(fetcher.links.first { $0.href == "/m/é.png" }?.type == "image/png")
    }

    @Test("A listed file whose extension says nothing is sniffed")
    func sniffing() throws {
        try folder.write("%PDF-1.4", "book/report")
        try folder.write("plain", "book/readme")
        let links = FileFetcher(href: "/", path: folder.path("book")).links
        #expect(links.first { $0.href == "/report" }?.type == "application/pdf")
        #expect(links.first { $0.href == "/readme" }?.type == nil)
    }

    @Test("After closing, the last list stays, and resources are unavailable")
    func closed() throws {
        let fetcher = FileFetcher(href: "/", path: folder.path("book"))
        let read = fetcher.get(href: "/a.txt")
        let unread = fetcher.get(href: "/a.txt")
        let missing = fetcher.get(href: "/absent")
        #expect(try read.readAsString().get() == "inside")
        let links = fetcher.links
        fetcher.close()
        fetcher.close()
        #expect(!links.isEmpty && fetcher.links == links)
        for resource in [read, unread, missing, fetcher.get(href: "/a.txt"), fetcher.get(href: "/absent")] {
            #expect(resource.read() == .failure(.unavailable()))
        }
    }

    @Test("Descriptors are closed by the resource, by the fetcher and when dropped")
    func descriptors() throws {
        let path = folder.path("book/a.txt")
        func count() -> Int { OpenDescriptors.of(path).count }
        let fetcher = FileFetcher(href: "/", path: folder.path("book"))
        let first = fetcher.get(href: "/a.txt")
        #expect(count() == 0)
        _ = first.read()
        #expect(count() == 1)
        first.close()
        #expect(count() == 0)
        var second: (any Resource)? = fetcher.get(href: "/a.txt")
        _ = second?.read()
        #expect(count() == 1)
        second = nil
        #expect(count() == 0 && second == nil)
        let third = fetcher.get(href: "/a.txt")
        _ = third.read()
        fetcher.close()
        #expect(count() == 0)
        withExtendedLifetime(third) {}
    }
}
