import Testing

@testable import Fetching

@Suite("The rules of RFC 9110 and 9111 that the cache follows") struct CacheRulesTests {
    @Test(
        "Dates in the three forms",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func dates(text: String) { #expect(HTTPDate.parse(text) == 784_111_777) }

    @Test(
        "What is no date",
        arguments: [
            "", "0", "-1", "now", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        ])
    func noDates(text: String) { #expect(HTTPDate.parse(text) == nil) }

    @Test("Dates are written as they are read")
    func dateText() {
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        for seconds in stride(from: Int64(-2_000_000_000), to: 8_000_000_000, by: 86_399_123) {
            #expect(HTTPDate.parse(HTTPDate.text(seconds)) == seconds)
        }
    }

    @Test("Directives are found whatever their case, quotes and neighbours")
    func directives() {
        let control = CacheControl("Private=\"a, no-store\", MAX-AGE=\"60\" , must-Revalidate,x=y")
        #expect(!control.noStore)
        #expect(control.maxAge == 60)
        #expect(control.mustRevalidate)
        #expect(CacheControl("max-age=60, max-age=10").maxAge == 10)
        #expect(CacheControl("max-age=abc").maxAge == 0)
        #expect(CacheControl("max-age=-5").maxAge == 0)
        #expect(CacheControl("max-age=99999999999999999999999").maxAge == Int64(Int32.max))
        #expect(CacheControl("no-cache=\"set-cookie\"").noCache)
        #expect(CacheControl(nil) == CacheControl(""))
    }

    /// For how long an answer stored at 1,000,000 is fresh.
    private func lifetime(_ change: (inout HTTPMetadata) -> Void, _ policy: CachePolicy = .respectHeaders)
        -> Int64
    {
        var metadata = HTTPMetadata()
        change(&metadata)
        let freshness = CacheFreshness(policy: policy, metadata: metadata, override: nil)
        var (low, high): (Int64, Int64) = (0, 1 << 33)
        while low < high {
            let middle = (low + high) / 2
            if freshness.isFresh(storedAt: 1_000_000, now: 1_000_000 + middle) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    @Test("The lifetime is max-age, else Expires less Date, else a tenth of the age, else the default")
    func lifetimes() {
        #expect(lifetime { $0.cacheControl = "max-age=100" } == 100)
        #expect(
            lifetime {
                $0.cacheControl = "max-age=100"; $0.expires = HTTPDate.text(1_500_000)
            } == 100)
        #expect(
            lifetime {
                $0.date = HTTPDate.text(1_000_000); $0.expires = HTTPDate.text(1_000_300)
            } == 300)
        #expect(lifetime { $0.expires = HTTPDate.text(1_000_300) } == 300)
        #expect(lifetime { $0.expires = "0" } == 0)
        #expect(lifetime { $0.expires = HTTPDate.text(999_000) } == 0)
        #expect(
            lifetime {
                $0.date = HTTPDate.text(1_000_000); $0.lastModified = HTTPDate.text(999_000)
            } == 100)
        #expect(
            lifetime {
                $0.date = HTTPDate.text(1_000_000); $0.lastModified = HTTPDate.text(-900_000_000)
            } == 86400)
        #expect(lifetime { $0.lastModified = HTTPDate.text(2_000_000) } == 0)
        #expect(lifetime { _ in } == 0)
        var policy = CachePolicy.respectHeaders
        policy.defaultMaxAge = 77
        #expect(lifetime({ _ in }, policy) == 77)
        #expect(lifetime({ $0.cacheControl = "no-cache, max-age=100" }, policy) == 0)
        #expect(lifetime({ $0.cacheControl = "no-store" }, .always(maxAge: 5)) == 5)
    }

    @Test("An answer is as old as its Age, and as its Date says")
    func ages() {
        #expect(
            lifetime {
                $0.cacheControl = "max-age=100"; $0.age = "30"
            } == 70)
        #expect(
            lifetime {
                $0.cacheControl = "max-age=100"; $0.date = HTTPDate.text(999_960)
            } == 60)
        #expect(
            lifetime {
                $0.cacheControl = "max-age=100"; $0.date = HTTPDate.text(999_960); $0.age = "30"
            } == 60)
        #expect(
            lifetime {
                $0.cacheControl = "max-age=100"; $0.date = HTTPDate.text(1_000_500)
            } == 100)
        #expect(
            lifetime {
                $0.cacheControl = "max-age=100"; $0.age = "99999999999999999999"
            } == 100)
    }

    @Test("Intervals grow together, and know their gaps")
    func intervals() {
        var intervals = ByteIntervals([10..<20, 30..<40])
        #expect(intervals.gaps(in: 0..<50) == [0..<10, 20..<30, 40..<50])
        #expect(intervals.gaps(in: 12..<18) == [])
        #expect(intervals.gaps(in: 15..<35) == [20..<30])
        intervals.insert(20..<30)
        #expect(intervals.intervals == [10..<40])
        intervals.insert(50..<60)
        intervals.insert(0..<5)
        intervals.insert(7..<7)
        #expect(intervals.intervals == [0..<5, 10..<40, 50..<60])
        #expect(intervals.count == 45)
        intervals.insert(3..<55)
        #expect(intervals.intervals == [0..<60])
        #expect(intervals.contains(0..<60) && !intervals.contains(0..<61) && intervals.contains(99..<99))
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
            }
            #expect(Set(intervals.intervals.flatMap { Array($0) }) == bytes)
            #expect(intervals.count == Int64(bytes.count))
            #expect(Set(intervals.gaps(in: 0..<130).flatMap { Array($0) }) == Set(0..<130).subtracting(bytes))
        }
    }

    @Test("A record is read as it was written")
    func record() throws {
        var entry = CacheEntry(href: "http://h/\u{1}\"ü", namespace: "n\n")
        entry.type = "text/html"
        entry.total = .max
        entry.present = ByteIntervals([0..<10, 20..<Int64.max])
        entry.sha256 = "abc"
        entry.metadata.etag = "W/\"x\""
        entry.varyValues = ["b": "1", "a": ""]
        entry.varyNames = ["a", "b"]
        entry.storedAt = -5
        entry.isPinned = true
        entry.bodyNumber = .max
        let text = try #require(entry.text())
        #expect(CacheEntry(text: text) == entry)
    }
}
