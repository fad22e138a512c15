import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("HTTP leaves no descriptor open") struct HTTPDescriptorTests {
    @Test("No descriptor is open once everything was released, in any state")
    func descriptors() async throws {
        let server = try ScriptedServer()
        let url = server.url("/r/book?size=5000000")
        await #expect(processExitsWith: .success) { [url = url as String] in
            let open = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
            func use() throws {
                let fetcher = testFetcher()
                let resource = fetcher.get(href: url)
                _ = try resource.read(range: 0..<10).get()
                _ = try resource.read(range: 10..<20).get()
                _ = try resource.length.get()
                _ = try fetcher.get(href: url).stream(range: nil) { _ in false }.get()
                let closed = fetcher.get(href: url)
                _ = try closed.stream(range: nil) { _ in false }.get()
                closed.close()
            }
            // In the first round, libraries open files that they keep.
            try use()
            let before = try open()
            for _ in 0..<5 { try use() }
            guard try open() == before else { exit(9) }
        }
    }
}
