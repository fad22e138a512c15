// Fetching alone, as a client imports it.
import Fetching
import Foundation
import Synchronization
import Testing
import TestSupport

/// A fetcher that a client writes from the reference.
private final class OwnFetcher: Fetcher {
    var links: [Link] { [Link(href: "/own.txt", type: "text/plain")] }

    func get(_ link: Link, parameters: [String: String]) -> any Resource { OwnResource(link: link) }

    func close() {}
}

/// A resource that a client writes from the reference.
private struct OwnResource: Resource {
    let link: Link

    var length: Result<Int64, ResourceError> { .success(3) }

    func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        BytesResource(link: link, bytes: Data("own".utf8)).read(range: range)
    }

    func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> { .success("own") }

    func close() {}
}

@Suite("Every spelling of the proposal compiles and works")
struct SpellingTests {
    private let link = Link(href: "/a.txt")

    @Test("Own fetchers and resources need nothing but the protocols' members")
    func ownTypes() throws {
        let fetcher: any Fetcher = OwnFetcher()
        let resource: any Resource = fetcher.get(href: "/own.txt")
        #expect(try resource.length.get() == 3)
        #expect(try resource.read().get() == Data("own".utf8))
        #expect(try resource.read(range: 1..<2).get() == Data("w".utf8))
        #expect(try resource.readAsString().get() == "own")
        #expect(try resource.readAsString(encoding: .utf8).get() == "own")
        #expect(resource.file == nil)
        #expect(fetcher.get(fetcher.links[0]).link == fetcher.links[0])
        #expect(fetcher.get(Link(href: "x"), parameters: [:]).link.href == "x")
        resource.close()
        fetcher.close()
    }

    @Test("Links are made with any of their parts")
    func links() {
        var properties = JSONObject()
        properties["page"] = .string("left")
        let link = Link(href: "a", properties: properties)
        #expect(link.properties["page"] == .string("left") && link.type == nil && !link.templated)
        let whole = Link(
            href: "a{?b}", type: "text/html", templated: true, title: "T", rels: ["cover"],
            properties: properties,
            height: 1, width: 2, duration: 3, bitrate: 4, languages: ["de"], alternates: [link],
            children: [link])
        #expect(whole.mediaType.string == "text/html" && whole.children == whole.alternates)
        #expect(link.mediaType.string == "application/octet-stream")
    }

    @Test("Errors have the cases of the proposal, also by the resource's name for them")
    func errors() {
        let error: Resource.Error = ResourceError.notFound(nil)
        let cause = RequestProblem(.template, "Why.")
        let all: [(ResourceError, Int)] = [
            (.badRequest(cause), 400), (.notFound(cause), 404), (.notFound(), 404), (.forbidden(nil), 403),
            (.unavailable(nil), 503), (.cancelled, 499), (.other(cause), 500),
        ]
        for (error, status) in all { #expect(error.httpStatusCode == status) }
        #expect(error == .notFound(cause) && error != .forbidden(nil))
    }

    @Test("Archives, and fetchers of files and archives, are written as in the proposal")
    func leaves() throws {
        let folder = try TemporaryFolder()
        let data = ZipBuilder(["a.txt": "zipped"]).data()
        try data.write(to: URL(fileURLWithPath: folder.path("a.zip")))
        for archive in [
            try ZipArchive.open(path: folder.path("a.zip")),
            try ZipArchive.open(resource: BytesResource(link: link, bytes: data)),
        ] {
            let fetcher = ArchiveFetcher(archive: archive)
            #expect(try fetcher.get(link).readAsString().get() == "zipped")
        }
        let one = FileFetcher(href: "/b.zip", path: folder.path("a.zip"))
        let many = FileFetcher(paths: ["/folder": folder.path, "/b.zip": folder.path("a.zip")])
        #expect(try one.get(href: "/b.zip").read().get() == data)
        #expect(try many.get(href: "/folder/a.zip").read().get() == data)
    }

    @Test("Proxies of resources and of texts take trailing closures")
    func proxies() throws {
        let resources = ProxyFetcher { link in BytesResource(link: link, bytes: Data("bytes".utf8)) }
        let failures = ProxyFetcher { link in
            let error = ResourceError.forbidden(nil)
            return FailureResource(link: link, error: error)
        }
        let texts = ProxyFetcher { link in "text of \(link.href)" }
        let longerTexts = ProxyFetcher { link in
            let name = link.href
            return "text of \(name)"
        }
        #expect(try resources.get(link).readAsString().get() == "bytes")
        #expect(failures.get(link).length == .failure(.forbidden(nil)))
        #expect(try texts.get(link).readAsString().get() == "text of /a.txt")
        #expect(try longerTexts.get(link).readAsString().get() == "text of /a.txt")
        #expect(
            try ProxyFetcher(closure: { link in StringResource(link: link, string: "x") }).get(link).length
                .get() == 1)
    }

    @Test("Composites are written as in the proposal")
    func composites() throws {
        let text = ProxyFetcher { _ in "abc" }
        let routing = RoutingFetcher(routes: [
            RoutingFetcher.Route(fetcher: EmptyFetcher(), accepts: { $0.href == "/none" }),
            RoutingFetcher.Route(fetcher: text),
        ])
        #expect(routing.get(href: "/none").length == .failure(.notFound()))
        #expect(try routing.get(href: "/x").length.get() == 3)
        #expect(try RoutingFetcher(local: text, remote: EmptyFetcher()).get(href: "/x").length.get() == 3)
        let upper: @Sendable (any Resource) -> any Resource = { resource in
            TransformingResource(resource, transform: { Data($0.map { $0 - 32 }) })
        }
        #expect(
            try TransformingFetcher(fetcher: text, transformer: upper).get(link).readAsString().get() == "ABC"
        )
        #expect(
            try TransformingFetcher(fetcher: text, transformers: [upper]).get(link).readAsString().get()
                == "ABC")
        let trailing = TransformingFetcher(fetcher: text) { resource in
            TransformingResource(resource) { data in Data(data.reversed()) }
        }
        #expect(try trailing.get(link).readAsString().get() == "cba")
    }

    @Test("Simple resources and wrappers are written as in the proposal")
    func wrappers() throws {
        let text = StringResource(link: link, string: "abc")
        #expect(try BytesResource(link: link, bytes: Data([1])).length.get() == 1)
        #expect(try BytesResource(link: link, bytes: { Data([1, 2]) }).length.get() == 2)
        let failure = FailureResource(link: link, error: .unavailable(nil))
        #expect(try BufferingResource(text, bufferSize: 2).read(range: 0..<1).get() == Data("a".utf8))
        #expect(try CachingResource(text).length.get() == 3)
        #expect(try LazyResource { text }.length.get() == 3)
        #expect(try FallbackResource(failure, fallback: text).length.get() == 3)
        #expect(try ProxyResource(text).length.get() == 3)
        #expect(try BorrowedResource(text).length.get() == 3)
    }

    @Test("HREFs compile and are resolved")
    func hrefs() {
        let href = HREF("a b.html", relativeTo: "/folder/")
        #expect(href.string == "/folder/a b.html" && href.percentEncodedString == "/folder/a%20b.html")
    }
}
