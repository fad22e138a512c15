import Archives
@testable import Fetching
import Foundation
import TestSupport
import Testing

@Suite("Errors have the case that the tables ask for")
struct ErrorTests {
    @Test("Failures of sources map by their code")
    func sources() {
        let codes: [(ByteSourceError.Code, Int)] = [
            (.notFound, 404), (.forbidden, 403), (.unavailable, 503), (.closed, 503), (.cancelled, 499),
            (.other, 500),
        ]
        for (code, status) in codes {
            #expect(ResourceError(ByteSourceError(code, "x")).httpStatusCode == status)
            let archived = ArchiveError(ByteSourceError(code, "x"))
            #expect(ResourceError(archived).httpStatusCode == status)
        }
    }

    @Test("All error types have the same parts, and codes that read alike")
    func shape() {
        let cause = RequestProblem(.template, "D.")
        let errors: [any CodedFailure & CustomStringConvertible] = [
            ByteSourceError(.notFound, "A.", subject: "b", hint: "C.", underlying: cause),
            ArchiveError(.notAnArchive, "A.", subject: "b", hint: "C.", underlying: cause),
            HTTPError(.malformedURL, "A.", subject: "b", hint: "C.", underlying: cause),
            RequestProblem(.encoding, "A.", subject: "b", hint: "C.", underlying: cause),
        ]
        for error in errors {
            #expect(error.underlying as? RequestProblem == cause)
            #expect(error.description == "b: A. C.")
            let words = "\(error.code)".split(separator: "_", omittingEmptySubsequences: false)
            #expect(!words.isEmpty)
            #expect(words.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isLowercase } })
        }
    }

    @Test("Failures of archives map by their code")
    func archives() {
        let codes: [(ArchiveError.Code, Int)] = [
            (.notAnArchive, 500), (.malformed, 500), (.unsupported, 500), (.encrypted, 403), (.tooLarge, 500),
            (.corruptEntry, 500), (.notFound, 404), (.unreadable, 503), (.closed, 503),
        ]
        for (code, status) in codes {
            #expect(ResourceError(ArchiveError(code, "x")).httpStatusCode == status)
        }
    }

    @Test(
        "An error passes through a resource read as an archive unchanged",
        arguments: [
            ResourceError.badRequest(RequestProblem(.template, "X.")), .notFound(), .forbidden(),
            .unavailable(),
            .cancelled,
            .other(RequestProblem(.template, "X.")),
        ])
    func throughArchive(_ error: ResourceError) {
        let resource = FailureResource(link: Link(href: "/a.zip"), error: error)
        let thrown = #expect(throws: ArchiveError.self) { try ZipArchive.open(resource: resource) }
        #expect(thrown.map { ResourceError($0) } == error)
    }

    @Test("Errors carry their cause for logs and are equal by case")
    func causes() {
        let error = ResourceError.notFound(RequestProblem(.noSuchResource, "It is gone.", subject: "/a"))
        #expect(error == .notFound() && error != .unavailable())
        #expect(error.description == "not found: /a: It is gone.")
        #expect(ResourceError.cancelled.cause == nil)
    }

    @Test(
        "Each failure of an archive's entry becomes its error"
    )
    func entries() throws {
        var builder = ZipBuilder(
            ["fine": "1", "encrypted": "2", "method": "3", "corrupt": "4", "crc": "5"], method: 0)
        builder.entries[1].flags = 1
        builder.entries[2].method = 12
        builder.entries[3].method = 8
        builder.entries[3].stored = Data([0xFF, 0xFF])
        builder.entries[4].checksum = 1
        let fetcher = ArchiveFetcher(archive: try archive(builder))
        for (name, status) in [
            ("encrypted", 403), ("method", 500), ("corrupt", 500), ("crc", 500), ("absent", 404),
        ] {
            #expect(fetcher.get(href: "/" + name).read().error?.httpStatusCode == status)
        }
        let fine = fetcher.get(href: "/fine")
        #expect(try fine.read().get() == Data("1".utf8))
        fetcher.close()
        #expect(fine.read() == .failure(.unavailable()))
    }

    @Test("An archive that cannot be opened is unavailable or fails as its file does, or is malformed")
    func unopenable() throws {
        let folder = try TemporaryFolder()
        try folder.write("no archive", "a.zip")
        let malformed = ArchiveFetcher(path: folder.path("a.zip"))
        #expect(malformed.get(href: "/x").read().error?.httpStatusCode == 500)
        #expect(malformed.get(href: "/x").length.error?.httpStatusCode == 500)
        #expect(malformed.links.isEmpty)
        let failing = ArchiveFetcher { () throws(ArchiveError) in
            throw ArchiveError(ByteSourceError(.unavailable, "no answer"))
        }
        #expect(failing.get(href: "/x").read() == .failure(.unavailable()))
    }

    @Test("A temporary error is not remembered")
    func temporary() throws {
        let noted = NotingResource(ZipBuilder(["a": "1"]).data())
        noted.fail(.unavailable())
        let fetcher = ArchiveFetcher { () throws(ArchiveError) in
            try ZipArchive.open(resource: BorrowedResource(noted))
        }
        #expect(fetcher.get(href: "/a").read() == .failure(.unavailable()))
        noted.fail(nil)
        #expect(try fetcher.get(href: "/a").read().get() == Data("1".utf8))
        let content = NotingResource(Data("x".utf8))
        content.fail(.unavailable())
        for wrapper in [CachingResource(content), TransformingResource(content) { $0 }] as [any Resource] {
            content.fail(.unavailable())
            #expect(wrapper.read() == .failure(.unavailable()))
            content.fail(nil)
            #expect(try wrapper.read().get() == Data("x".utf8))
        }
    }
}
