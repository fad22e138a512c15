import Fetching
import HTTPTestSupport

/// A client that connects directly to the scripted server, regardless of what the environment says about proxies.
func testClient(_ change: (inout CurlHTTPClient.Configuration) -> Void = { _ in }) -> CurlHTTPClient {
    var configuration = CurlHTTPClient.Configuration()
    configuration.followsProxyVariables = false
    change(&configuration)
    return CurlHTTPClient(configuration: configuration)
}

/// A fetcher with its own client.
func testFetcher(_ change: (inout HTTPFetcher.Configuration) -> Void = { _ in }) -> HTTPFetcher {
    var configuration = HTTPFetcher.Configuration()
    change(&configuration)
    return HTTPFetcher(client: testClient(), base: nil, configuration: configuration)
}

extension ScriptedServer {
    /// The resource of a path and query, through its own fetcher.
    func resource(_ target: String) -> any Resource { testFetcher().get(href: url(target)) }
}
