import Foundation
import HostContent
import Platform
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
        let reader = StagedCopyReader { _, _ in }
        reader.add(path, name: "page.html")
        reader.settle()
        // The same file, which is still open.
        try page("Persuasion", at: path)
        let content = try #require(reader.take(path))
        defer { content.close() }
        #expect(try content.publication().metadata.title == "Emma")
        #expect(reader.take(path) == nil)
    }

    @Test("A copy is examined after it was read, with its metadata, unless it cannot be opened")
    func examined() throws {
        let (lost, path, text) = (folder.path("lost"), folder.path("copy"), folder.path("text"))
        try page("Emma", at: path)
        try Data([0, 1, 2]).write(to: URL(fileURLWithPath: text))
        let examined = Mutex<[String]>([])
        let reader = StagedCopyReader { copy, publication in
            examined.withLock { $0.append("\(copy): \(publication?.metadata.title ?? "none")") }
        }
        reader.add(lost, name: "page.html")
        reader.add(path, name: "page.html")
        reader.add(text, name: "unknown")
        reader.settle()
        #expect(examined.withLock { $0 } == ["\(path): Emma", "\(text): none"])
    }

    @Test("A copy can be taken while it is examined")
    func meanwhile() throws {
        let path = folder.path("copy")
        try page("Emma", at: path)
        let (isExamining, isTaken) = (Monitor(false), Monitor(false))
        let reader = StagedCopyReader { _, _ in
            isExamining.change { $0 = true }
            isTaken.wait { $0 ? () : nil }
        }
        reader.add(path, name: "page.html")
        isExamining.wait { $0 ? () : nil }
        let content = reader.take(path)
        isTaken.change { $0 = true }
        reader.settle()
        #expect(content != nil)
        content?.close()
    }

    @Test("A copy that cannot be opened, is unknown, or was forgotten is left to the caller")
    func left() throws {
        let (lost, path) = (folder.path("lost"), folder.path("copy"))
        try page("Emma", at: path)
        let reader = StagedCopyReader { _, _ in }
        reader.add(lost, name: "page.html")
        reader.add(path, name: "page.html")
        reader.settle()
        #expect(reader.take(lost) == nil)
        reader.forget()
        #expect(reader.take(path) == nil)
        #expect(reader.take(folder.path("other")) == nil)
    }
}
