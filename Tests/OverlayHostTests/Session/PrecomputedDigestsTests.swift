import DeviceTransport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OverlayHost

@Suite("Content identifiers of an upload's files are computed ahead")
struct PrecomputedDigestsTests {
    private let folder: TemporaryFolder
    private let files: [String]

    init() throws {
        folder = try TemporaryFolder()
        files = try ["a", "b", "c"].map { [folder] name in
            let path = folder.path(name)
            try Data("content of \(name)".utf8).write(to: URL(fileURLWithPath: path))
            return path
        }
    }

    private func identity(_ file: String) throws -> LocalIdentity { try #require(LocalIdentity(path: file)) }

    @Test("A file is read by one thread, and waited for if the other one has begun with it")
    func once() throws {
        let (begun, goOn) = (Gate(), Gate())
        let identities = try files.map(identity)
        let expected = try LocalBook.checked(files[0], []).contentID
        let read = Mutex<[String]>([])
        let digests = PrecomputedDigests(of: files, Cancellation()) { [files] file, isCancelled in
            read.withLock { $0.append(file) }
            if file == files[0] {
                begun.open()
                goOn.wait()
            }
            return PrecomputedDigests.compute(file, isCancelled: isCancelled)
        }
        begun.wait()
        // The other thread is busy, so the caller reads this file.
        #expect(digests.contentID(at: 1, of: identities[1]) == nil)
        goOn.open()
        #expect(digests.contentID(at: 0, of: identities[0]) == expected)
        #expect(read.withLock { !$0.contains(files[1]) })
    }

    @Test("A file that is not needed is not read to its end")
    func skipped() throws {
        let (begun, isOver) = (Gate(), Gate())
        let digests = PrecomputedDigests(of: files, Cancellation()) { [files] file, isCancelled in
            guard file == files[0] else {
                isOver.open()
                return nil
            }
            begun.open()
            while !isCancelled() {}
            return nil
        }
        begun.wait()
        // The second file is skipped before the other thread has noticed that the first one was.
        digests.skip(0)
        digests.skip(1)
        isOver.wait()
        #expect(digests.contentID(at: 0, of: try identity(files[0])) == nil)
    }

    @Test("The identifier of another file, or of one that cannot be read, is not used")
    func others() throws {
        let computed = try #require(PrecomputedDigests.compute(files[0]) { false })
        #expect(try computed.contentID == LocalBook.checked(files[0], []).contentID)
        #expect(PrecomputedDigests.compute(folder.path("missing")) { false } == nil)
        #expect(PrecomputedDigests.compute(folder.url.path) { false } == nil)
        #expect(PrecomputedDigests.compute(files[0]) { true } == nil)

        let began = Gate()
        let digests = PrecomputedDigests(of: files, Cancellation()) { _, _ in
            began.open()
            return computed
        }
        began.wait()
        let book = try LocalBook(
            files[2], AcceptedFormats(app: "Reader", extensions: []) { [] }, cancellation: Cancellation(),
            known: nil
        ) { digests.contentID(at: 0, of: $0) }
        #expect(try book.contentID == LocalBook.checked(files[2], []).contentID)
        #expect(book.contentID != computed.contentID)
    }

    @Test("The end of an upload stops the reading of its files")
    func end() {
        let begun = Gate()
        let read = Mutex(0)
        do {
            let digests = PrecomputedDigests(of: files, Cancellation()) { _, isCancelled in
                read.withLock { $0 += 1 }
                begun.open()
                while !isCancelled() {}
                return nil
            }
            begun.wait()
            withExtendedLifetime(digests) {}
        }
        #expect(read.withLock { $0 } == 1)
    }
}
