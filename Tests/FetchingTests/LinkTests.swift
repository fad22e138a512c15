import TestSupport
import Fetching
import Foundation
import JSON
import Testing

@Suite("Links are values, and their templates are expanded")
struct LinkTests {
    @Test("Added properties replace equal names and keep all others")
    func addingProperties() {
        var own = JSONObject()
        own["kept"] = .integer(1)
        own["changed"] = .integer(2)
        var added = JSONObject()
        added["changed"] = .integer(3)
        added["new"] = .bool(true)
        let link = Link(href: "/a", properties: own).addingProperties(added)
        #expect(link.properties["kept"] == .integer(1))
        #expect(link.properties["changed"] == .integer(3))
        #expect(link.properties["new"] == .bool(true))
    }

    @Test("The media type falls back on octet-stream", arguments: [nil, "", "nonsense", "/"])
    func mediaType(_ type: String?) {
        #expect(Link(href: "/a", type: type).mediaType.string == "application/octet-stream")
    }

    @Test(
        "Templates of the form in the proposal are expanded",
        arguments: [
            ("/a{b}", "/aB%20b"), ("/{b,c}", "/B%20b,1%2B1"), ("/x{?b,c}", "/x?b=B%20b&c=1%2B1"),
            ("/x{?absent,c}", "/x?c=1%2B1"), ("/x{?absent}", "/x"), ("/{absent,c}", "/1%2B1"),
            ("/{d}", "/a,b:c"),
            ("/x{?d}y{b}", "/x?d=a,b:cyB%20b"), ("/{+p}", "/a/b"), ("/x{#p}", "/x#a/b"),
            ("{/b,c}", "/B%20b/1%2B1"),
            ("/x{.c}", "/x.1%2B1"), ("/x?y{&c}", "/x?y&c=1%2B1"), ("/x{;c,e}", "/x;c=1%2B1;e"),
            ("/x{?e}", "/x?e="),
            ("/{d:2}", "/a,"), ("/{b*}", "/B%20b"), ("/plain", "/plain"), ("/ü{u}", "/ü%C3%BC"),
        ])
    func expansion(_ template: String, _ wanted: String) throws {
        let values = ["b": "B b", "c": "1+1", "d": "a,b:c", "e": "", "p": "a/b", "u": "ü", "extra": "x"]
        let link = try Link(href: template, templated: true).expanded(with: values).get()
        #expect(link.href == wanted && !link.templated)
    }

    @Test(
        "A template that cannot be read is a bad request",
        arguments: ["/{", "/}", "/{a", "/{}", "/{a{b}}", "/{!a}", "/{a b}", "/{a:0}", "/{,a}"])
    func unreadable(_ template: String) {
        let link = Link(href: template, templated: true)
        #expect(link.expanded(with: ["a": "1"]).error?.httpStatusCode == 400)
        for fetcher in [FileFetcher(paths: [:]), ProxyFetcher { _ in "x" }] as [any Fetcher] {
            #expect(fetcher.get(link, parameters: ["a": "1"]).read().error?.httpStatusCode == 400)
        }
        #expect(Link(href: template).expanded(with: ["a": "1"]) == .success(Link(href: template)))
    }

    @Test("Expanding before `get` and giving parameters to `get` are the same")
    func bothWays() throws {
        let link = Link(href: "/{name}.txt{?q}", templated: true)
        let fetcher = ArchiveFetcher(archive: try archive(.init(["a b.txt": "content"])))
        let parameters = ["name": "a b", "q": "1"]
        #expect(try fetcher.get(link, parameters: parameters).readAsString().get() == "content")
        #expect(try fetcher.get(link.expanded(with: parameters).get()).readAsString().get() == "content")
        #expect(link.templateParameters == ["name", "q"])
    }

    @Test("A name that gets no value at all is a bad request where HREFs are names")
    func missingVariable() throws {
        let link = Link(href: "/{name}.txt{?q}", templated: true)
        for fetcher in [FileFetcher(href: "/", path: "/"), ArchiveFetcher(archive: try archive(.init([:])))]
            as [any Fetcher]
        {
            #expect(fetcher.get(link, parameters: ["q": "1"]).read().error?.httpStatusCode == 400)
            #expect(fetcher.get(link).read().error?.httpStatusCode == 400)
        }
    }

    @Test("Parameters for a link without template are ignored by leaves")
    func ignoredParameters() throws {
        let fetcher = ArchiveFetcher(archive: try archive(.init(["a": "content"])))
        #expect(try fetcher.get(Link(href: "/a"), parameters: ["x": "y"]).readAsString().get() == "content")
    }
}
