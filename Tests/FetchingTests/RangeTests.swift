import Archives
import Fetching
import Foundation
import TestSupport
import Testing

@Suite("Ranges mean the same for every leaf and wrapper")
struct RangeTests {
    /// Makes a resource with the content, and a missing one.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Data, TemporaryFolder) throws -> any Resource
        let makeMissing: (@Sendable (TemporaryFolder) throws -> any Resource)?
    }

    private static let link = Link(href: "/a.bin")

    private static func wrapper(_ name: String, _ wrap: @escaping @Sendable (any Resource) -> any Resource)
        -> Case
    {
        Case(
            testDescription: name, make: { data, _ in wrap(BytesResource(link: link, bytes: data)) },
            makeMissing: { _ in wrap(FailureResource(link: link, error: .notFound())) })
    }

    private static func zip(_ name: String, method: UInt16) -> Case {
        Case(
            testDescription: name,
            make: { data, _ in
                var builder = ZipBuilder()
                builder.entries = [ZipBuilder.Entry("a.bin", data, method: method)]
                return ArchiveFetcher(archive: try archive(builder)).get(link)
            },
            makeMissing: { _ in ArchiveFetcher(archive: try archive(ZipBuilder())).get(link) })
    }

    static let cases: [Case] = [
        Case(
            testDescription: "FileFetcher",
            make: { data, folder in
                try data.write(to: URL(fileURLWithPath: folder.path("a.bin")))
                return FileFetcher(href: "/", path: folder.path).get(link)
            }, makeMissing: { folder in FileFetcher(href: "/", path: folder.path).get(link) }),
        zip("ArchiveFetcher, stored", method: 0), zip("ArchiveFetcher, deflated", method: 8),
        Case(
            testDescription: "ArchiveFetcher, opened late",
            make: { data, folder in
                var builder = ZipBuilder()
                builder.entries = [ZipBuilder.Entry("a.bin", data, method: 8)]
                try builder.data().write(to: URL(fileURLWithPath: folder.path("a.zip")))
                return ArchiveFetcher(path: folder.path("a.zip")).get(link)
            },
            makeMissing: { folder in
                try ZipBuilder().data().write(to: URL(fileURLWithPath: folder.path("a.zip")))
                return ArchiveFetcher(path: folder.path("a.zip")).get(link)
            }),
        Case(
            testDescription: "BytesResource", make: { data, _ in BytesResource(link: link, bytes: data) },
            makeMissing: nil),
        Case(
            testDescription: "BytesResource of a slice",
            make: { data, _ in
                BytesResource(link: link, bytes: (Data([1, 2]) + data + Data([3])).dropFirst(2).dropLast())
            },
            makeMissing: nil),
        Case(
            testDescription: "BytesResource of a closure",
            make: { data, _ in BytesResource(link: link) { data } },
            makeMissing: { _ in BytesResource(link: link) { throw ResourceError.notFound() } }),
        Case(
            testDescription: "StringResource",
            make: { data, _ in StringResource(link: link, string: String(decoding: data, as: UTF8.self)) },
            makeMissing: nil),
        wrapper("ProxyResource") { ProxyResource($0) },
        wrapper("BorrowedResource") { BorrowedResource($0) },
        wrapper("LazyResource") { resource in LazyResource { resource } },
        wrapper("CachingResource") { CachingResource($0) },
        wrapper("TransformingResource") { TransformingResource($0) { $0 } },
        wrapper("BufferingResource of 1") { BufferingResource($0, bufferSize: 1) },
        wrapper("BufferingResource of 4") { BufferingResource($0, bufferSize: 4) },
        wrapper("BufferingResource of 100") { BufferingResource($0, bufferSize: 100) },
        wrapper("FallbackResource, first") { FallbackResource($0, fallback: $0) },
        wrapper("FallbackResource, second") {
            FallbackResource(FailureResource(link: link, error: .unavailable()), fallback: $0)
        },
    ]

    @Test("Every row of the table holds", arguments: cases)
    func table(_ row: Case) throws {
        let folder = try TemporaryFolder()
        let content = Data("0123456789".utf8)
        let count = Int64(content.count)
        let resource = try row.make(content, folder)
        #expect(try resource.read(range: nil).get() == content)
        for start in 0...(count + 2) {
            for end in start...(count + 3) {
                let wanted = content[Int(min(start, count))..<Int(min(end, count))]
                #expect(try resource.read(range: start..<end).get() == wanted, "\(start)..<\(end)")
            }
        }
        #expect(try resource.read(range: -4..<3).get() == content.prefix(3))
        #expect(try resource.read(range: -4..<(-2)).get().isEmpty)
        #expect(try resource.read(range: 0..<Int64.max).get() == content)
        #expect(try resource.read(range: 7..<Int64.max).get() == content.suffix(3))
        #expect(try resource.read(range: Int64.min..<Int64.max).get() == content)
        #expect(try resource.read(range: (.max - 1)..<Int64.max).get().isEmpty)
        #expect(try resource.read(range: 3..<6).get().startIndex == 0)
        #expect(try resource.length.get() == count)
        var streamed = Data()
        #expect(
            try resource.stream(range: nil) {
                streamed += $0; return true
            }.get() == count)
        #expect(streamed == content)
        #expect(try resource.stream(range: 2..<5) { $0.count == 3 }.get() == 3)
    }

    @Test("An empty content gives no bytes for any request", arguments: cases)
    func emptyContent(_ row: Case) throws {
        let folder = try TemporaryFolder()
        let resource = try row.make(Data(), folder)
        for range: Range<Int64>? in [nil, 0..<0, 0..<1, 5..<9, 0..<Int64.max] {
            #expect(try resource.read(range: range).get().isEmpty)
        }
        #expect(try resource.length.get() == 0)
    }

    @Test(
        "A missing resource is missing even for an empty range",
        arguments: cases.filter { $0.makeMissing != nil })
    func missing(_ row: Case) throws {
        let folder = try TemporaryFolder()
        let resource = try #require(try row.makeMissing?(folder))
        for range: Range<Int64>? in [nil, 0..<0, 0..<1, 5..<5, Int64.max..<Int64.max] {
            #expect(resource.read(range: range) == .failure(.notFound()))
        }
        #expect(resource.length == .failure(.notFound()))
        #expect(resource.readAsString() == .failure(.notFound()))
        #expect(resource.stream(range: nil) { _ in true } == .failure(.notFound()))
    }

    @Test(
        "After closing, reads fail with unavailable, also when closed twice or before any read",
        arguments: cases)
    func closed(_ row: Case) throws {
        let folder = try TemporaryFolder()
        for readsBefore in [true, false] {
            let resource = try row.make(Data("0123".utf8), folder)
            if readsBefore { #expect(try resource.read(range: 0..<1).get().count == 1) }
            resource.close()
            resource.close()
            guard row.testDescription != "BorrowedResource" else {
                #expect(try resource.read().get().count == 4)
                continue
            }
            #expect(resource.read(range: nil) == .failure(.unavailable()))
            #expect(resource.read(range: 0..<1) == .failure(.unavailable()))
            #expect(resource.readAsString() == .failure(.unavailable()))
        }
    }

    @Test("A file cut short after it was opened gives what is there")
    func shrunkenFile() throws {
        let folder = try TemporaryFolder()
        try folder.write("0123456789", "a.bin")
        let resource = FileFetcher(href: "/", path: folder.path).get(Self.link)
        #expect(try resource.length.get() == 10)
        #expect(truncate(folder.path("a.bin"), 4) == 0)
        #expect(try resource.read(range: 2..<9).get() == Data("23".utf8))
        #expect(try resource.read(range: 6..<9).get().isEmpty)
    }

    @Test("Threads read one resource at once and each gets its own bytes", arguments: cases)
    func threads(_ row: Case) async throws {
        let folder = try TemporaryFolder()
        let content = Data((0..<2_000).map { UInt8(ascii: "a") + UInt8($0 % 26) })
        let resource = try row.make(content, folder)
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { step in
                        let start = Int64((task * 211 + step * 37) % 1_900)
                        return resource.read(range: start..<(start + 90))
                            == .success(content[start..<(start + 90)])
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}

extension Data {
    fileprivate subscript(range: Range<Int64>) -> Data {
        Data(self[Int(range.lowerBound)..<Int(range.upperBound)])
    }
}
