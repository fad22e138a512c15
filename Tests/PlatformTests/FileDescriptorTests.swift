import Foundation
import Glibc
import Testing

@testable import Platform

@Suite("Descriptors are closed by their owner, and read to the end")
struct FileDescriptorTests {
    /// Both ends of a connection that other programs do not inherit.
    private func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let isMade = socketpair(AF_UNIX, kind, 0, &ends) == 0
        try #require(isMade)
        return (ends[0], ends[1])
    }

    @Test("A pipe ends when the owner of its writing end goes")
    func closing() throws {
        let ends = try makePipe()
        defer { close(ends.reading) }
        do {
            let writing = try owner(of: ends.writing)
            #expect(writeAll([1, 2, 3], to: writing.number) == 0)
        }
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(buffer.withUnsafeMutableBytes { readFully(ends.reading, into: $0) } == 3)
        #expect(buffer.prefix(3) == [1, 2, 3])
    }

    @Test("A descriptor that was handed over stays open")
    func release() throws {
        let ends = try makePipe()
        defer { close(ends.reading) }
        let number = try owner(of: ends.writing).release()
        #expect(number == ends.writing)
        #expect(writeAll([7], to: number) == 0)
        close(number)
    }

    @Test("The number of a failed call is not owned as a descriptor")
    func negative() {
        let isOwned = FileDescriptor(owning: -1) != nil
        #expect(!isOwned)
    }

    @Test("Reading from a place gives what the file has there, and less at its end")
    func ranges() throws {
        guard
            let file = TemporaryFile(
                beginning: FileManager.default.temporaryDirectory.path + "/descriptor-test")
        else { throw Refused() }
        #expect(writeAll(Array(0..<100), to: file.descriptor) == 0)
        let path = file.path
        guard let reading = FileDescriptor(opening: path) else { throw Refused() }
        var buffer = [UInt8](repeating: 0, count: 10)
        let number = reading.number
        #expect(buffer.withUnsafeMutableBytes { readFully(number, into: $0, at: 50) } == 10)
        #expect(buffer == Array(50..<60))
        #expect(buffer.withUnsafeMutableBytes { readFully(number, into: $0, at: 95) } == 5)
    }

    @Test("A file that cannot be read gives nothing, with errno")
    func unreadable() throws {
        guard
            let file = TemporaryFile(
                beginning: FileManager.default.temporaryDirectory.path + "/descriptor-test")
        else { throw Refused() }
        var buffer = [UInt8](repeating: 0, count: 1)
        // It is open for writing only.
        #expect(buffer.withUnsafeMutableBytes { readFully(file.descriptor, into: $0) } == nil)
        #expect(errno == EBADF)
    }

    private func owner(of number: Int32) throws -> FileDescriptor {
        guard let owner = FileDescriptor(owning: number) else { throw Refused() }
        return owner
    }

    private struct Refused: Error {}
}
