import OverlayTestSupport
import Foundation
import OverlayABI
import TestSupport
import Testing

@testable import OverlayWorkers
@testable import OverlayHost

@Suite("An overlay's description of itself is stored")
struct CachedEntryTests {
    private func overlay(_ library: String, _ folder: TemporaryFolder) throws -> WorkerOverlay {
        WorkerOverlay(
            library: library, of: library, temporary: folder.path,
            options: WorkerOptions(program: try FaultyOverlay.program())
        ) {}
    }

    @Test("An overlay that has described itself is known without its library")
    func isKept() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("faulty.so")
        try FaultyOverlay.build(library)
        let first = try overlay(library, folder).describe()
        try FileManager.default.removeItem(atPath: library)
        let second = try overlay(library, folder).describe()
        #expect(second.descriptor == first.descriptor)
        #expect(second.methods.books != nil && second.methods.upload_books == nil)
        #expect(second.entry.create != nil)
    }

    @Test("A damaged description is ignored, and the overlay is asked again")
    func isDamaged() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("faulty.so")
        try FaultyOverlay.build(library)
        let first = try overlay(library, folder).describe()
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix(".entry") })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
        for length in [bytes.count / 2 & ~7, 8, 3] {
            bytes = bytes.prefix(length)
            try bytes.write(to: URL(fileURLWithPath: folder.path(name)))
            #expect(try overlay(library, folder).describe().descriptor == first.descriptor)
        }
    }
}
