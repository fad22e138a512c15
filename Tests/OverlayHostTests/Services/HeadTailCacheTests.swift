import DeviceTransport
import OverlayABI
import OverlayKit
import Synchronization
import TestSupport
import Testing

@testable import OverlayHost

@Suite("Parts of a file that were read before its metadata are used for the metadata as well")
struct HeadTailCacheTests {
    private let environment: FakeEnvironment
    private let path = "/Documents/page.html"

    init() throws {
        environment = try FakeEnvironment()
    }

    /// A page with a title and a given size.
    private func page(_ size: Int) -> [UInt8] {
        let start = Array("<!DOCTYPE html><html><head><title>Emma</title></head><body>".utf8)
        return start + (0..<size - start.count).map { UInt8(ascii: "a") + UInt8($0 % 7) }
    }

    private func request(_ range: Range<UInt64>, precedes: Bool = false) -> ReadRequest {
        ReadRequest(
            path, offset: range.lowerBound, length: range.upperBound - range.lowerBound,
            precedesMetadata: precedes)
    }

    /// Runs `body` inside a method. Returns the number of files whose ends were read separately.
    private func within(
        _ body: @escaping (TransportService, MetadataService) throws -> Void
    ) throws -> Int {
        var failure: (any Error)?
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            do {
                let metadata: UnsafePointer<ovl_metadata_service>? = fake.service(OVL_SERVICE_METADATA)
                try body(
                    TransportService(fake.transport), MetadataService(try #require(metadata).pointee))
            } catch {
                failure = error
            }
            return OVL_OK
        }
        let instance = try environment.attached()
        _ = try instance.books()
        instance.destroy()
        if let failure { throw failure }
        return environment.device.files.endsRead.withLock { $0.reduce(0, +) }
    }

    @Test("The parts are what was asked for, and the ends are not read again", arguments: [5_000, 300_000])
    func parts(_ size: Int) throws {
        let bytes = page(size)
        environment.device.files[path] = bytes
        let middle = UInt64(size / 2)..<UInt64(size / 2 + 100)
        let ranges = [0..<1024, middle, UInt64(size - 2048)..<UInt64(size)]
        let read = try within { [self] transport, metadata in
            let parts = try transport.readMany(
                .documents, ranges.map { request($0, precedes: $0.upperBound == UInt64(size)) })
            for (range, part) in zip(ranges, parts) {
                #expect(try part.get() == Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
            }
            let found = try metadata.read(.device(.documents, path))
            #expect(found.book.title == "Emma" && found.book.size == UInt64(size))
        }
        #expect(read == 0)
    }

    @Test("A file that has become shorter, or was changed by the overlay, is read again")
    func changed() throws {
        environment.device.files[path] = page(300_000)
        let read = try within { [self] transport, metadata in
            _ = try transport.readMany(.documents, [request(290_000..<310_000, precedes: true)])
            #expect(try metadata.read(.device(.documents, path)).book.size == 300_000)
            _ = try transport.readMany(.documents, [request(298_000..<300_000, precedes: true)])
            try transport.write(.documents, path, page(200_000))
            #expect(try metadata.read(.device(.documents, path)).book.size == 200_000)
            // Without the flag nothing is cached.
            _ = try transport.readMany(.documents, [request(198_000..<200_000)])
            #expect(try metadata.read(.device(.documents, path)).book.size == 200_000)
        }
        #expect(read == 3)
    }
}
