import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("A client connects only to allowed addresses") struct AddressChoiceTests {
    @Test(
        "Addresses of the public internet are public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
            "192.167.1.1",
            "193.0.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111",
            "2a00:1450:4001::1",
            "::ffff:1.1.1.1", "64:ff9b::8.8.8.8",
        ])
    func isPublic(_ text: String) throws { #expect(try #require(IPAddress(text)).isPublic) }

    @Test(
        "Loopback addresses, and those of private networks, of groups and of special purposes are not",
        arguments: [
            "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:192.168.1.1",
            "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:db8::1",
            "2002:7f00:1::1",
            "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
        ])
    func isNotPublic(_ text: String) throws { #expect(try !#require(IPAddress(text)).isPublic) }

    @Test(
        "Public addresses in the networks of the computer's interfaces are refused",
        arguments: ["8.8.8.9", "::ffff:8.8.8.9", "64:ff9b::8.8.8.9", "2a00:1450:4001::1", "9.9.9.9"])
    func ownNetworks(_ text: String) throws {
        let networks = try [
            ("8.8.8.8", "255.255.255.0"), ("2a00:1450:4001::5", "ffff:ffff:ffff:ffff::"),
            ("9.9.9.9", "0.0.0.0"),
        ].map { NetworkPrefix(try #require(IPAddress($0)), mask: IPAddress($1)) }
        let address = try #require(IPAddress(text))
        #expect(address.isPublic)
        #expect(!address.isPublic(outside: networks))
        #expect(!address.isPublic(outside: nil))
        for other in ["8.8.9.8", "2a00:1450:4001:1::1", "1.1.1.1", "::ffff:8.8.9.8"] {
            #expect(try #require(IPAddress(other)).isPublic(outside: networks), "\(other)")
        }
    }

    @Test("The networks of the interfaces are known, that of the loopback among them")
    func interfaces() throws {
        let networks = try #require(NetworkPrefix.ofInterfaces())
        let loopback = try #require(IPAddress("127.0.0.1"))
        #expect(networks.contains { $0.contains(loopback) })
        #expect(try !networks.contains { $0.contains(try #require(IPAddress("1.1.1.1"))) })
    }

    @Test("A name is refused by the address that it resolves to")
    func resolved() throws {
        let server = try ScriptedServer()
        let client = CurlHTTPClient.publicAddresses
        let error = try #require(
            client.open(HTTPRequest(url: server.url("/r/book", host: "localhost"))).failure)
        #expect(error.code == .addressRefused, "\(error)")
        #expect(try server.requests("/r/book").isEmpty)
    }

    @Test("Each redirect is looked at again")
    func redirected() throws {
        let (first, second) = (try ScriptedServer(), try ScriptedServer())
        let only = try #require(IPAddress("127.0.0.1"))
        let client = testClient { $0.allowsAddress = { $0 == only } }
        let inside = ScriptedServer.escape(second.url("/r/inside", host: "127.0.0.2"))
        let error = try #require(client.open(HTTPRequest(url: first.url("/r/start?to=\(inside)"))).failure)
        #expect(error.code == .addressRefused, "\(error)")
        #expect(error.message.contains("127.0.0.2"), "\(error)")
        #expect(try first.requests("/r/start").count == 1)
        #expect(try second.requests("/r/inside").isEmpty)
        let there = ScriptedServer.escape(second.url("/r/there"))
        #expect(client.open(HTTPRequest(url: first.url("/r/start?to=\(there)"))).failure == nil)
    }
}
