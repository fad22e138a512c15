import Foundation
import HostContent
import Publications
import Synchronization
import TestSupport
import Testing

@testable import OverlayServices

@Suite("Copies are read before they are requested")
struct StagedCopyReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func page(_ title: String, at path: String) throws {
        try Data("<!DOCTYPE html><html><head><title>\(title)</title></head><body></body></html>".utf8)
            .write(to: URL(fileURLWithPath: path))
    }

    @Test("The content of a copy is read before it is requested, and is given once")
    func ahead() throws {
        let path = folder.path("copy")
        try page("Emma", at: path)
        let reader = StagedCopyReader()
        reader.add(path, name: "page.html")
        reader.settle()
        // The same file, which is still open.
        try page("Persuasion", at: path)
        let content = try #require(reader.take(path))
        defer { content.close() }
        #expect(try content.publication().metadata.title == "Emma")
        #expect(reader.take(path) == nil)
    }

    @Test("A copy is examined after it was read, unless it cannot be opened")
    func examined() throws {
        let (lost, path) = (folder.path("lost"), folder.path("copy"))
        try page("Emma", at: path)
        let examined = Mutex<[String]>([])
        let reader = StagedCopyReader { copy, content in
            let title = try? content.publication().metadata.title
            examined.withLock { $0.append("\(copy): \(title ?? "")") }
        }
        reader.add(lost, name: "page.html")
        reader.add(path, name: "page.html")
        reader.settle()
        #expect(examined.withLock { $0 } == ["\(path): Emma"])
        reader.forget()
    }

    @Test("A copy that cannot be opened, is unknown, or was forgotten is left to the caller")
    func left() throws {
        let (lost, path) = (folder.path("lost"), folder.path("copy"))
        try page("Emma", at: path)
        let reader = StagedCopyReader()
        reader.add(lost, name: "page.html")
        reader.add(path, name: "page.html")
        reader.settle()
        #expect(reader.take(lost) == nil)
        reader.forget()
        #expect(reader.take(path) == nil)
        #expect(reader.take(folder.path("other")) == nil)
    }
}
