import Fetching
import Foundation
import HTTPTestSupport
import Testing

@Suite("Ranges of a resource behind HTTP are read") struct HTTPRangeTests {
    private func check(_ range: Range<Int64>?, gives expected: Range<Int>, sends header: String?) throws {
        let server = try ScriptedServer()
        let data = try server.resource("/r/book").read(range: range).get()
        #expect(data == ScriptedContent.bytes(expected))
        #expect(data.startIndex == 0)
        #expect(try server.requests("/r/book").map(\.range) == [header])
    }

    @Test("The whole is asked for without a range")
    func whole() throws { try check(nil, gives: 0..<1000, sends: nil) }

    @Test("The last byte is named inclusively")
    func inclusive() throws { try check(10..<20, gives: 10..<20, sends: "bytes=10-19") }

    @Test("A single byte is a range of one")
    func single() throws { try check(999..<1000, gives: 999..<1000, sends: "bytes=999-999") }

    @Test("A range beyond the end gives what is there")
    func clamped() throws { try check(990..<5000, gives: 990..<1000, sends: "bytes=990-4999") }

    @Test("The largest end asks for an open range")
    func openEnded() throws { try check(900..<Int64.max, gives: 900..<1000, sends: "bytes=900-") }

    @Test("A negative start counts as 0")
    func negative() throws { try check(-5..<3, gives: 0..<3, sends: "bytes=0-2") }

    @Test("A range at the end or behind it gives nothing")
    func behind() throws {
        try check(1000..<1001, gives: 0..<0, sends: "bytes=1000-1000")
        try check(5000..<6000, gives: 0..<0, sends: "bytes=5000-5999")
    }

    @Test("An empty range asks for nothing, even of a server that is gone")
    func empty() throws {
        #expect(try testFetcher().get(href: "http://127.0.0.1:1/x").read(range: 0..<0).get().isEmpty)
        #expect(try testFetcher().get(href: "http://127.0.0.1:1/x").read(range: 7..<7).get().isEmpty)
    }

    @Test("Every request asks for the bytes as they are")
    func identity() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?coding=asked")
        #expect(try resource.length.get() == 1000)
        #expect(try resource.read(range: 5..<9).get() == ScriptedContent.bytes(5..<9))
        #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<1000))
        let codings = try server.requests("/r/book").map { $0.headers["accept-encoding"] }
        #expect(codings == ["identity", "identity", "identity"])
    }

    @Test("A body that is coded without being asked for is an error, not content")
    func codedAnyway() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?coding=gzip")
        #expect(resource.read(range: nil).failure == .other(RequestProblem(.template, "X.")))
        #expect(resource.read(range: 0..<4).failure == .other(RequestProblem(.template, "X.")))
    }

    @Test("A wrong Content-Range is an error", arguments: ["start", "unit", "none"])
    func wrongContentRange(kind: String) throws {
        let server = try ScriptedServer()
        let error = server.resource("/r/book?crange=\(kind)").read(range: 10..<20).failure
        #expect(error == .other(RequestProblem(.template, "X.")))
        #expect("\(error, default: "")".contains("Content-Range"))
    }

    @Test("A server that sends less of a range than asked for is asked for the rest")
    func shortParts() throws {
        let server = try ScriptedServer()
        let data = try server.resource("/r/book?most=10").read(range: 100..<125).get()
        #expect(data == ScriptedContent.bytes(100..<125))
        let ranges = try server.requests("/r/book").map(\.range)
        #expect(ranges == ["bytes=100-124", "bytes=110-", "bytes=120-"])
    }

    @Test("Status 416 for a range that should be there is an error")
    func refusedRange() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=10&total416=no")
        #expect(resource.read(range: 20..<30).failure == .other(RequestProblem(.template, "X.")))
    }

    @Test("Reads one after another are answered by one open answer, with small steps ahead")
    func sequence() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=200000")
        for start in stride(from: 0, to: 200_000, by: 2000) {
            let range = Int64(start)..<Int64(start + 1000)
            #expect(try resource.read(range: range).get() == ScriptedContent.bytes(start..<start + 1000))
        }
        #expect(try server.requests("/r/book").map(\.range) == ["bytes=0-999", "bytes=2000-"])
    }

    @Test("Any order of ranges gives the same slices as the whole")
    func anyOrder() throws {
        let server = try ScriptedServer()
        let whole = ScriptedContent.bytes(0..<50_000)
        var generator = SystemRandomNumberGenerator()
        for target in ["/r/a?size=50000", "/r/b?size=50000&ranges=no", "/r/c?size=50000&ranges=no&length=no"]
        {
            let resource = server.resource(target)
            for _ in 0..<60 {
                let start = Int.random(in: 0..<52_000, using: &generator)
                let end = start + Int.random(in: 0..<9000, using: &generator)
                let data = try resource.read(range: Int64(start)..<Int64(end)).get()
                #expect(data == whole[min(start, 50_000)..<min(end, 50_000)], "\(target) \(start)..<\(end)")
            }
        }
    }

    @Test("A stream comes from one answer")
    func stream() throws {
        let server = try ScriptedServer()
        let resource = server.resource("/r/book?size=700000")
        var bytes = Data()
        let count = try resource.stream(range: 100..<650_000) { piece in
            bytes.append(piece)
            return true
        }.get()
        #expect(count == 649_900)
        #expect(bytes == ScriptedContent.bytes(100..<650_000))
        #expect(try server.requests("/r/book").map(\.range) == ["bytes=100-649999"])
    }
}
