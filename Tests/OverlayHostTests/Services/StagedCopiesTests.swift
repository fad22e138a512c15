import DeviceTransport
import Foundation
import OverlayABI
import OverlayKit
import OverlayServices
import Synchronization
import TestSupport
import Testing

@testable import OverlayHost

@Suite("A file that is fetched next is copied when its parts are asked for")
struct StagedCopiesTests {
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

    private func request(_ range: Range<UInt64>) -> ReadRequest {
        ReadRequest(
            path, offset: range.lowerBound, length: range.upperBound - range.lowerBound,
            precedesMetadata: true)
    }

    /// The bytes of the file that a pull of the path returns.
    private func pulled(_ transport: TransportService) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try transport.pull(.documents, [path]) { row throws(OverlayError) in
            guard let file = row.file else { return }
            try transport.localRead(file, offset: 0, length: .max) { chunk, _, _ in
                bytes.append(contentsOf: chunk)
            }
        }
        return bytes
    }

    /// Runs `body` inside a method while copies are staged. Returns the number of files that the device sent
    /// completely.
    private func within(
        isWanted: @escaping @Sendable (String, UInt64) -> Bool = { _, _ in true },
        moved: @escaping @Sendable (String, String) -> Void = { _, _ in },
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
        let count = Mutex(0)
        environment.device.files.before { _ in count.withLock { $0 += 1 } }
        let instance = try environment.attached()
        instance.stage { [folder = environment.folder.path] in
            StagingPlace(folder: folder, isWanted: isWanted, examine: { _, _ in }, moved: moved)
        }
        _ = try instance.books()
        instance.discardStaged()
        instance.discardFetched()
        instance.destroy()
        if let failure { throw failure }
        let left = try FileManager.default.contentsOfDirectory(atPath: environment.folder.path)
        #expect(left.filter { $0.hasPrefix(".overlayhost-") }.isEmpty)
        return count.withLock { $0 }
    }

    @Test("Parts, metadata and the fetched file are those of one copy", arguments: [5_000, 300_000])
    func once(_ size: Int) throws {
        let bytes = page(size)
        environment.device.files[path] = bytes
        let moves = Mutex<[Bool]>([])
        let moved: @Sendable (String, String) -> Void = { copy, place in
            moves.withLock { $0.append(access(copy, F_OK) != 0 && access(place, F_OK) == 0) }
        }
        let copies = try within(moved: moved) { [self] transport, metadata in
            let part = try transport.readMany(.documents, [request(1_000..<UInt64(size))])
            #expect(try part[0].get() == Array(bytes[1_000...]))
            // Later changes of the app are visible in the next listing.
            environment.device.files[path] = page(200)
            let found = try metadata.read(.device(.documents, path))
            #expect(found.book.title == "Emma" && found.book.size == UInt64(size))
            #expect(try pulled(transport) == bytes)
            // A copy is used once.
            #expect(try pulled(transport) == page(200))
        }
        #expect(copies == 2)
        #expect(moves.withLock { $0 } == [true])
        #expect(environment.device.files.endsRead.withLock { $0.isEmpty })
    }

    @Test("A file that is not wanted, or large, is copied when it is fetched", arguments: [5_000, 1_100_000])
    func unwanted(_ size: Int) throws {
        environment.device.files[path] = page(size)
        let copies = try within(isWanted: { $0 == "page.html" && $1 > 5_000 }) { [self] transport, metadata in
            _ = try transport.readMany(.documents, [request(1_000..<UInt64(size))])
            #expect(try metadata.read(.device(.documents, path)).book.title == "Emma")
            environment.device.files[path] = page(200)
            #expect(try pulled(transport) == page(200))
        }
        #expect(copies == 1)
    }

    @Test("A file whose size has changed is not kept, and one that the overlay changed is read again")
    func changed() throws {
        environment.device.files[path] = page(5_000)
        _ = try within { [self] transport, metadata in
            // The part ends where the overlay expects the end of the file.
            let part = try transport.readMany(.documents, [request(4_000..<6_000)])
            #expect(try part[0].get().count == 1_000)
            environment.device.files[path] = page(6_000)
            #expect(try transport.readMany(.documents, [request(4_000..<6_000)])[0].get().count == 2_000)
            try transport.write(.documents, path, page(300))
            #expect(try metadata.read(.device(.documents, path)).book.size == 300)
            #expect(try pulled(transport) == page(300))
        }
    }
}
