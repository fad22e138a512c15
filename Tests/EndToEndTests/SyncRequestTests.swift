import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("A sync looks at the device a few times, however many books it sends")
struct SyncRequestTests {
    private let bench: ReaderBench
    private let source: SyncSource

    init() throws {
        bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "18.6"
            $0.apps = [SimulatedReader.paperback()]
        }
        source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
    }

    /// The file requests of a sync.
    private func requests() throws -> [String] {
        let before = bench.device.fileRequests.count
        #expect(try bench.run("sync", source.path).status == 0)
        return bench.device.fileRequests.dropFirst(before).map(\.operation)
    }

    private func add(_ numbers: Range<Int>) throws {
        for number in numbers { try source.put("\(number).epub", title: "Book \(number)") }
    }

    @Test("200 new books take as many listings of folders as 20")
    func listings() throws {
        try add(0..<20)
        let few = try requests().count { $0 == "READ_DIR" }
        try add(20..<220)
        let many = try requests().count { $0 == "READ_DIR" }
        #expect(few > 0 && many == few)
    }

    @Test("After a change of one book only that book is looked at again, not the library")
    func change() throws {
        try add(0..<100)
        #expect(try requests().contains("FILE_WRITE"))
        try source.put("7.epub", title: "Book 7", words: "second edition")
        let looks = try requests().count { $0 == "GET_FILE_INFO" }
        // The plan and the overlay's check read all of them; a third read would make 300.
        #expect((200..<250).contains(looks), "\(looks)")
    }

    @Test("Five requests carry a new book, two look at it in listings, and nothing of it is read back")
    func first() throws {
        let count = 40
        // The books that are on the device already are read once.
        #expect(try bench.run("books").status == 0)
        let before = bench.device.fileRequests.count
        let looks = bench.device.fileRequests.count { $0.operation == "GET_FILE_INFO" }
        try add(0..<count)
        #expect(try requests().count > 5 * count)
        #expect(try bench.run("books").status == 0)
        let sent = bench.device.fileRequests.dropFirst(before).map(\.operation)
        func number(_ name: String) -> Int { sent.count { $0 == name } }
        for name in ["FILE_WRITE", "RENAME_PATH"] {
            #expect(count...(count + 5) ~= number(name), "\(name)")
        }
        for name in ["FILE_OPEN", "FILE_CLOSE"] { #expect(count...(count + 10) ~= number(name), "\(name)") }
        #expect(number("FILE_READ") <= 10)
        // One look checks the size after sending. The listings after the sync and of `books` look at all files, those
        // before the plan and under the claim at the files that were there.
        #expect(3 * count...(3 * count + 4 * looks + 5) ~= number("GET_FILE_INFO"))
    }
}
