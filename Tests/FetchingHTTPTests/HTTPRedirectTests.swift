import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("Redirects are followed safely") struct HTTPRedirectTests {
    @Test("Each kind of redirect is followed with its range", arguments: [301, 302, 303, 307, 308])
    func followed(status: Int) throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/old?to=\(ScriptedServer.escape("/r/new?seed=2"))&code=\(status)")
        #expect(try resource.read(range: 3..<9).get() == ScriptedContent.bytes(3..<9, seed: 2))
        #expect(try server.requests("/r/new").map(\.range) == ["bytes=3-8"])
        #expect(try resource.length.get() == 1000)
    }

    @Test("Five are followed, six are not")
    func bound() throws {
        let server = try ScriptedServer()
        #expect(try server.resource("/r/five?hops=5").read(range: nil).get().count == 1000)
        let error = server.resource("/r/six?hops=6").read(range: nil).failure
        #expect(error?.httpStatusCode == 500)
        #expect((error?.cause as? HTTPError)?.code == .tooManyRedirects)
        #expect(try server.requests("/r/six").count == 6)
    }

    @Test("A redirect to itself ends")
    func loop() throws {
        let server = try ScriptedServer()
        try server.set("/r/loop", ["to": "/r/loop"])
        let error = server.resource("/r/loop").read(range: nil).failure
        #expect(error?.httpStatusCode == 500)
    }

    @Test(
        "Other schemes are not followed", arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x"])
    func schemes(target: String) throws {
        let server = try ScriptedServer()
        let error = server.resource("/r/x?to=\(ScriptedServer.escape(target))").read(range: nil).failure
        #expect((error?.cause as? HTTPError)?.code == .unsafeRedirect)
        #expect(error?.httpStatusCode == 500)
    }

    @Test("Passwords and cookies go to no other host")
    func secrets() throws {
        let (first, second) = (try ScriptedServer(), try ScriptedServer())
        let fetcher = testFetcher {
            $0.headers = ["Authorization": "Bearer secret", "Cookie": "id=secret", "X-Other": "stays"]
        }
        let away = ScriptedServer.escape(second.url("/r/away"))
        _ = try fetcher.get(href: first.url("/r/start?to=\(away)")).read(range: nil).get()
        _ = try fetcher.get(href: first.url("/r/home?hops=1")).read(range: nil).get()
        let start = try #require(try first.requests("/r/start").first)
        #expect(start.headers["authorization"] == "Bearer secret")
        #expect(start.headers["cookie"] == "id=secret")
        let arrived = try #require(try second.requests("/r/away").first)
        #expect(arrived.headers["authorization"] == nil)
        #expect(arrived.headers["cookie"] == nil)
        #expect(arrived.headers["x-other"] == "stays")
        #expect(
            try first.requests("/r/home").map { $0.headers["authorization"] } == [
                "Bearer secret", "Bearer secret",
            ])
    }

    @Test("A user and password in the URL are sent as a header field, not in the URL")
    func userInfo() throws {
        let server = try ScriptedServer()
        let href = "http://me:p%40ss@127.0.0.1:\(server.port)/r/book"
        _ = try testFetcher().get(href: href).read(range: nil).get()
        let request = try #require(try server.requests("/r/book").first)
        #expect(request.headers["authorization"] == "Basic " + Data("me:p@ss".utf8).base64EncodedString())
    }
}
