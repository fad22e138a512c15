import Foundation
import Glibc
import HTTPTestSupport
import TestSupport
import Testing

@testable import Fetching

@Suite("The folder of the cache stays consistent") struct CacheStoreTests {
    @Test("The store stays within its bound, and keeps the most recently used content")
    func eviction() throws {
        let bench = try CacheTestBench(maximumBytes: 400_000)
        for name in ["a", "b", "c", "d", "e", "f"] {
            try bench.server.set("/r/\(name)", ["size": "80000", "etag": "\"v1\"", "cc": "max-age=60"])
            try bench.read("/r/\(name)", nil)
            // Used again, so that it is never the oldest.
            try bench.read("/r/a", nil)
        }
        #expect(try bench.count("/r/a") == 1)
        var blocks: Int64 = 0
        for file in try bench.files() {
            var status = stat()
            #expect(lstat(file, &status) == 0)
            blocks += Int64(status.st_blocks) * 512
        }
        #expect(blocks <= 400_000)
        #expect(try bench.files(".json").count < 6)
        try bench.read("/r/f", nil)
        #expect(try bench.count("/r/f") == 1)
    }

    @Test("A content larger than a quarter of the store is read and not kept")
    func tooLarge() throws {
        let bench = try CacheTestBench(maximumBytes: 400_000)
        for length in ["", "chunked"] {
            try bench.server.set("/r/book", ["size": "300000", "etag": "\"v1\"", "length": length])
            #expect(
                try bench.read("/r/book", 0..<10, nil)
                    == [ScriptedContent.bytes(0..<10), ScriptedContent.bytes(0..<300_000)])
        }
        #expect(try bench.files(".json") == [])
    }

    @Test("A damaged record or body is refetched", arguments: ["", "{", "{}", "record", "body", "number"])
    func damage(kind: String) throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["cc": "max-age=60", "etag": "\"v1\""])
        try bench.read("/r/book", nil)
        let record = try #require(bench.files(".json").first)
        let text = try String(contentsOfFile: record, encoding: .utf8)
        let body = try #require(bench.files().first { !$0.hasSuffix(".json") })
        switch kind {
        case "record": unlink(record)
        case "body": truncate(body, 500)
        case "number":
            for value in ["-1", "1.5", "\"x\"", "999999999999999999"] {
                let damaged = text.replacingOccurrences(of: "\"total\": 1000", with: "\"total\": \(value)")
                    .replacingOccurrences(of: "\"total\":1000", with: "\"total\":\(value)")
                #expect(damaged != text)
                try damaged.write(toFile: record, atomically: false, encoding: .utf8)
                #expect(try bench.read("/r/book", 0..<1000) == [ScriptedContent.bytes(0..<1000)])
            }
        default: try kind.write(toFile: record, atomically: false, encoding: .utf8)
        }
        for _ in 0..<2 { #expect(try bench.read("/r/book", nil) == [ScriptedContent.bytes(0..<1000)]) }
    }

    @Test("Bodies that a killed process left behind are removed, those in use are not")
    func abandoned() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["etag": "\"v1\""])
        _ = try bench.store()
        let (lost, used) = (bench.path + "/0a.17", bench.path + "/0b.17")
        for path in [lost, used] { try Data("x".utf8).write(to: URL(fileURLWithPath: path)) }
        let open = try #require(CacheBody(path: used, creates: false))
        try bench.read("/r/book", nil)
        #expect(!FileManager.default.fileExists(atPath: lost))
        #expect(FileManager.default.fileExists(atPath: used))
        withExtendedLifetime(open) {}
    }

    @Test("Processes that read and replace the same contents at once get whole versions only")
    func processes() async throws {
        let bench = try CacheTestBench()
        for name in 0..<3 {
            try bench.server.set("/r/\(name)", ["size": "150000", "etag": "\"v1\""])
        }
        let (path, port) = (bench.path, bench.server.port)
        await withTaskGroup { group in
            for worker in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [path = path as String, port = port as Int, worker = worker as Int] in
                        for round in 0..<12 {
                            guard let store = CacheStore(directory: path) else { exit(2) }
                            let fetcher = CachingFetcher(CacheTestBench.http(), store: store)
                            let name = (round + worker) % 3
                            let resource = fetcher.get(href: "http://127.0.0.1:\(port)/r/\(name)")
                            let start = Int64((round * 7919 + worker * 104_729) % 140_000)
                            for range in [start..<start + 9000, 0..<150_000] {
                                let bytes = try resource.read(range: range).get()
                                let wanted = Int(range.lowerBound)..<Int(range.upperBound)
                                guard bytes == ScriptedContent.bytes(wanted) else { exit(3) }
                            }
                            resource.close()
                            if round % 4 == worker { store.remove(CacheStoreTests.key(port, name)) }
                        }
                    }
                }
            }
        }
        for name in 0..<3 {
            #expect(try bench.read("/r/\(name)", nil) == [ScriptedContent.bytes(0..<150_000)])
        }
    }

    static func key(_ port: Int, _ name: Int) -> String {
        HTTPURL("http://127.0.0.1:\(port)/r/\(name)").flatMap { CacheStore.key($0) } ?? ""
    }

    @Test("A folder that cannot be used gives no store")
    func unusable() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("file")))
        #expect(CacheStore(directory: folder.path("file")) == nil)
        #expect(CacheStore(directory: folder.path("file/below")) == nil)
        #expect(symlink("/tmp", folder.path("link")) == 0)
        #expect(CacheStore(directory: folder.path("link")) == nil)
    }

    @Test("A folder that becomes unusable never fails a reading")
    func lostFolder() throws {
        let bench = try CacheTestBench()
        try bench.server.set("/r/book", ["size": "300000", "etag": "\"v1\""])
        let resource = try bench.resource()
        #expect(try resource.read(range: 0..<10).get() == ScriptedContent.bytes(0..<10))
        try FileManager.default.removeItem(atPath: bench.path)
        #expect(try resource.read(range: nil).get() == ScriptedContent.bytes(0..<300_000))
        resource.close()
        let other = try bench.fetcher()
        try FileManager.default.removeItem(atPath: bench.path)
        #expect(
            try other.get(href: bench.server.url("/r/book")).read(range: nil).get()
                == ScriptedContent.bytes(0..<300_000))
    }
}

@Suite("The cache follows RFC 9110 and 9111") struct CacheRulesTests {
    @Test("Directives are found regardless of case, quotes and neighbours")
    func directives() {
        let control = CacheControl("Private, MAX-AGE=\"60\" , must-Revalidate,x=y")
        #expect(!control.noStore)
        #expect(control.maxAge == 60)
        #expect(CacheControl("max-age=60, max-age=10").maxAge == 10)
        #expect(CacheControl("max-age=abc").maxAge == 0)
        #expect(CacheControl("max-age=-5").maxAge == 0)
        #expect(CacheControl("max-age=99999999999999999999999").maxAge == Int64(Int32.max))
        #expect(CacheControl("no-cache=\"set-cookie\"").noCache)
        #expect(CacheControl(nil) == CacheControl(""))
    }

    @Test("An answer is as old as its Age, and an incomplete one is never fresh")
    func ages() {
        func isFresh(_ headers: HTTPHeaders, after seconds: Int64, present: Range<Int64> = 0..<10) -> Bool {
            var record = CacheRecord(
                response: HTTPResponse(url: "http://h/", status: 200, headers: headers), validator: "\"v\"",
                body: "b", total: 10, storedAt: 1_000_000)
            record.present.insert(present)
            return record.isFresh(at: 1_000_000 + seconds)
        }
        #expect(isFresh(["Cache-Control": "max-age=100"], after: 99))
        #expect(!isFresh(["Cache-Control": "max-age=100"], after: 100))
        #expect(!isFresh(["Cache-Control": "max-age=100", "Age": "30"], after: 70))
        #expect(!isFresh(["Cache-Control": "max-age=100", "Age": "99999999999999999999"], after: 101))
        #expect(!isFresh(["Cache-Control": "max-age=100"], after: 1, present: 0..<9))
        #expect(!isFresh([:], after: 0))
    }

    @Test("A date of the last change counts as a version only if the answer is younger")
    func dates() {
        func validator(_ headers: HTTPHeaders) -> String? {
            CacheRecord.validator(of: HTTPResponse(url: "http://h/", status: 200, headers: headers))
        }
        let (date, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT")
        #expect(validator(["Last-Modified": date, "Date": later]) == date)
        #expect(validator(["Last-Modified": date, "Date": date]) == nil)
        #expect(validator(["Last-Modified": date]) == nil)
        #expect(validator(["ETag": "\"v\"", "Last-Modified": date, "Date": later]) == "\"v\"")
    }

    @Test("A record is read as it was written")
    func record() throws {
        var record = CacheRecord(
            response: HTTPResponse(
                url: "http://h/\u{1}\"ü", status: 206,
                headers: ["ETag": "\"x\"", "Link": "a", "link": "b", "Set-Cookie": "c", "Content-Range": "d"]),
            validator: "\"x\"", body: "k.1", total: .max, storedAt: 5)
        record.present = ByteIntervals([0..<10, 20..<Int64.max])
        let read = try #require(CacheRecord(Array(JSONValue.object(record.json).text().utf8)))
        #expect(read.response.url == record.response.url && read.response.status == 200)
        #expect(read.response.headers.values("Link") == ["a", "b"])
        #expect(read.response.headers["Set-Cookie"] == nil && read.response.headers["Content-Range"] == nil)
        #expect(read.present == record.present && read.total == .max && read.storedAt == 5)
        #expect(read.validator == "\"x\"" && read.body == "k.1")
    }

    @Test("Any insertions give the union of what was inserted")
    func anyIntervals() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var intervals = ByteIntervals()
            var bytes = Set<Int64>()
            for _ in 0..<20 {
                let start = Int64.random(in: 0..<100, using: &generator)
                let end = start + Int64.random(in: 0..<20, using: &generator)
                intervals.insert(start..<end)
                bytes.formUnion(start..<end)
                #expect(intervals.contains(start..<end))
            }
            #expect(Set(intervals.intervals.flatMap { Array($0) }) == bytes)
            #expect(Set(intervals.gaps(in: 0..<130).flatMap { Array($0) }) == Set(0..<130).subtracting(bytes))
        }
    }
}
