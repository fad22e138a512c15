import OverlayTestSupport
import Fetching
import Foundation
import HTTPTestSupport
import JSON
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("An overlay can access only servers of the public internet, and only with the user's permission")
struct WebAccessTests {
    private static let allowed: [String: JSONValue] = ["web_overlays": .texts(["other", "hostile"])]

    private func world(declares: Bool) throws -> WorkerWorld {
        try WorkerWorld(declares ? ["TRAITS=OVL_TRAIT_FETCHES_WEB"] : [], of: HostileOverlay.self)
    }

    /// The error of a request to a server; nil if it answers.
    private func failure(_ world: WorkerWorld, _ preferences: [String: JSONValue], _ url: String) throws
        -> HostError?
    {
        let instance = try world.attached(preferences)
        defer { instance.destroy() }
        return instance.deleteBooks([url]).failure
    }

    @Test("An overlay that does not declare web access is refused, with the trait and the preference")
    func undeclared() throws {
        let server = try ScriptedServer()
        let error = try #require(
            try failure(try world(declares: false), Self.allowed, server.url("/r/book")))
        #expect(error.code == .accessRefused)
        #expect(error.message == "The overlay does not declare that it fetches web addresses.")
        #expect(error.hint?.contains("OVL_TRAIT_FETCHES_WEB") == true)
        #expect(error.hint?.contains("overlayhost prefs set web_overlays") == true)
        #expect(try server.requests("/r/book").isEmpty)
    }

    @Test("An overlay that the user has not allowed is refused, with the command that allows it")
    func notAllowed() throws {
        let server = try ScriptedServer()
        let error = try #require(
            try failure(
                try world(declares: true), ["web_overlays": .texts(["other"])], server.url("/r/book")))
        #expect(error.code == .accessRefused)
        #expect(error.hint?.contains("overlayhost prefs set web_overlays other,hostile") == true)
        #expect(try server.requests("/r/book").isEmpty)
    }

    @Test(
        "Nothing is sent to this computer or a private network, however it is named",
        arguments: [
            "127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "0.0.0.0",
        ])
    func privateAddresses(_ host: String) throws {
        let server = try ScriptedServer()
        let url = server.url("/r/book", host: host)
        let error = try #require(try failure(try world(declares: true), Self.allowed, url))
        #expect(error.code == .accessRefused, "\(error)")
        #expect(error.message.contains("is not on the public internet"), "\(error)")
        #expect(try server.requests("/r/book").isEmpty)
    }

    @Test("With both permissions and a permitted address, the server is asked")
    func allowed() throws {
        let server = try ScriptedServer()
        let world = try world(declares: true)
        var configuration = CurlHTTPClient.Configuration()
        configuration.followsProxyVariables = false
        world.environment.web = CurlHTTPClient(configuration: configuration)
        #expect(try failure(world, Self.allowed, server.url("/r/book")) == nil)
        #expect(try !server.requests("/r/book").isEmpty)
    }
}
