import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A first sync asks a device for each new book only what it must")
struct SyncRequestTests {
    @Test("Six requests carry a new book of a folder, and nothing of it is read back, now or by a listing")
    func first() throws {
        let bench = try ReaderBench.paperback()
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        let count = 40
        for number in 1...count { try source.put("\(number).epub", title: "Book \(number)") }
        // The books that are on the device already are read once.
        #expect(try bench.json("books").status == 0)
        let before = bench.device.counters.requests
        func sent(_ name: String) -> Int {
            bench.device.counters.requests["afc." + name, default: 0] - before["afc." + name, default: 0]
        }
        let synced = try bench.json("sync", source.path)
        #expect(synced.status == 0 && synced.texts("results", "status").count == count, "\(synced.errors)")
        #expect(try bench.json("books").status == 0)
        for name in ["FILE_WRITE", "RENAME_PATH"] { #expect(count...(count + 5) ~= sent(name), "\(name)") }
        for name in ["FILE_OPEN", "FILE_CLOSE"] { #expect(count...(count + 10) ~= sent(name), "\(name)") }
        #expect(sent("FILE_READ") <= 10)
        // One look checks the size after sending, and one is for each of the listings after the sync and of `books`.
        // What was there before is looked at by both, before the plan, and under the claim.
        let others = before["afc.GET_FILE_INFO", default: 0]
        #expect(3 * count...(3 * count + 4 * others + 5) ~= sent("GET_FILE_INFO"))
    }
}
