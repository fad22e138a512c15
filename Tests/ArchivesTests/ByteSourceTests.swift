@testable import Archives
import Foundation
import TestSupport
import Testing

@Suite("Byte sources give exactly the bytes that exist")
struct ByteSourceTests {
    private func file(_ content: Data) throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        try content.write(to: URL(fileURLWithPath: folder.path("file")))
        return (folder, folder.path("file"))
    }

    @Test("A file and bytes in memory clamp in the same way")
    func clamping() throws {
        let content = noise(1_000)
        let (folder, path) = try file(content)
        defer { withExtendedLifetime(folder) {} }
        for source in [try FileByteSource(path: path), DataByteSource(content)] as [any ByteSource] {
            #expect(try source.length == 1_000)
            #expect(try source.read(at: 0, count: 1_000) == content)
            #expect(try source.read(at: 990, count: .max) == content.suffix(10))
            #expect(try source.read(at: 1_000, count: 1).isEmpty)
            #expect(try source.read(at: .max, count: .max).isEmpty)
            #expect(try source.read(at: -1, count: 2) == content.prefix(2))
            #expect(try source.read(at: 5, count: -1).isEmpty)
            var buffer = [UInt8](repeating: 0, count: 20)
            #expect(try buffer.withUnsafeMutableBytes { try source.read(at: 985, into: $0) } == 15)
            #expect(Data(buffer.prefix(15)) == content.suffix(15))
            source.close()
            source.close()
            #expect(throws: ByteSourceError.self) { try source.read(at: 0, count: 1) }
        }
    }

    @Test("A file that was cut short gives the remaining bytes")
    func shrunken() throws {
        let (folder, path) = try file(noise(1_000))
        defer { withExtendedLifetime(folder) {} }
        let source = try FileByteSource(path: path)
        #expect(truncate(path, 300) == 0)
        #expect(try source.read(at: 200, count: 500).count == 100)
        #expect(try source.read(at: 500, count: 500).isEmpty)
    }

    @Test("Folders and pipes are refused, without waiting for a pipe")
    func specialFiles() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        for path in [folder.path, folder.path("pipe"), folder.path("absent"), "/dev/null"] {
            let error = #expect(throws: ByteSourceError.self) { try FileByteSource(path: path) }
            #expect(error?.code == .notFound)
        }
    }

    @Test("Each system error has the code of its meaning")
    func errorNumbers() {
        let codes: [(Int32, ByteSourceError.Code)] = [
            (ENOENT, .notFound), (ENOTDIR, .notFound), (EISDIR, .notFound), (ELOOP, .notFound),
            (ENAMETOOLONG, .notFound), (EACCES, .forbidden), (EPERM, .forbidden), (EIO, .unavailable),
            (ESTALE, .unavailable), (EMFILE, .unavailable), (ENFILE, .unavailable), (ENOMEM, .unavailable),
            (ETIMEDOUT, .unavailable), (EHOSTDOWN, .unavailable), (ENXIO, .unavailable),
            (ENODEV, .unavailable),
            (EINVAL, .other), (ENOSPC, .other),
        ]
        for (number, code) in codes { #expect(ByteSourceError(errno: number, subject: nil).code == code) }
    }

    @Test("The descriptor is closed on exec, after close, and with the last reference")
    func descriptors() throws {
        let (folder, path) = try file(noise(10))
        defer { withExtendedLifetime(folder) {} }
        var source: FileByteSource? = try FileByteSource(path: path)
        let open = OpenDescriptors.of(path)
        #expect(open.count == 1)
        #expect(open.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
        source?.close()
        #expect(OpenDescriptors.of(path).isEmpty)
        source = try FileByteSource(path: path)
        #expect(OpenDescriptors.of(path).count == 1)
        source = nil
        #expect(OpenDescriptors.of(path).isEmpty)
        #expect(source == nil)
    }

    @Test("An archive leaves no descriptor: after close, when dropped, and when it could not be opened")
    func archiveDescriptors() throws {
        let (folder, path) = try file(ZipBuilder(["a": "b"]).data())
        defer { withExtendedLifetime(folder) {} }
        let archive = try ZipArchive.open(path: path)
        #expect(OpenDescriptors.of(path).count == 1)
        archive.close()
        #expect(OpenDescriptors.of(path).isEmpty)
        do {
            let dropped = try ZipArchive.open(path: path)
            _ = try dropped.read(try #require(dropped.entry("a")), range: 0..<1)
        }
        #expect(OpenDescriptors.of(path).isEmpty)
        try Data("no archive".utf8).write(to: URL(fileURLWithPath: path))
        #expect(code { try ZipArchive.open(path: path) } == .notAnArchive)
        #expect(OpenDescriptors.of(path).isEmpty)
    }
}
