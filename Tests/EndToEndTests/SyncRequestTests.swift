import Foundation
import SimulatedDevice
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
}
