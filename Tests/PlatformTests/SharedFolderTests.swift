import Glibc
import Platform
import TestSupport
import Testing

@Suite("Folders can be used by several programs")
struct SharedFolderTests {
    private func open(_ path: String, _ flags: Int32 = O_RDONLY | O_DIRECTORY) throws -> FileDescriptor {
        guard let descriptor = FileDescriptor(opening: path, flags) else {
            throw Unopened()
        }
        return descriptor
    }

    private struct Unopened: Error {}

    @Test("A lock is waited for until it is given back or the wait is cancelled")
    func lock() throws {
        let folder = try TemporaryFolder()
        let first = try open(folder.path)
        let second = try open(folder.path)
        #expect(waitForLock(of: first.number) == 0)
        var (waits, questions) = (0, 0)
        let code = waitForLock(of: second.number, waiting: { waits += 1 }) {
            questions += 1
            return questions == 2
        }
        #expect(code == ECANCELED && waits == 1 && questions == 2)
        #expect(first.close() == 0)
        #expect(waitForLock(of: second.number, waiting: { waits += 1 }, isCancelled: { true }) == 0)
        #expect(waits == 1)
        #expect(second.close() == 0)
        #expect(waitForLock(of: -1) == EBADF)
        #expect(waitForLock(of: -1, waiting: {}, isCancelled: { false }) == EBADF)
    }

    @Test("The names in an open folder can be read again and again, and are all there")
    func namesOfDescriptor() throws {
        let folder = try TemporaryFolder()
        let names = (0...FolderListing.most).map { "file \($0)" }
        for name in names {
            let file = try open(folder.path(name), O_CREAT | O_WRONLY)
            #expect(file.close() == 0)
        }
        let descriptor = try open(folder.path)
        for _ in 0..<2 {
            #expect(FolderListing.names(in: descriptor.number)?.sorted() == names.sorted())
        }
        #expect(descriptor.close() == 0)
        #expect(FolderListing.names(in: -1) == nil && errno == EBADF)
        let file = try open(folder.path(names[0]), O_RDONLY)
        #expect(FolderListing.names(in: file.number) == nil && errno == ENOTDIR)
    }

    @Test("Entries come with their types until the caller has enough, and a failure is not an end")
    func entries() throws {
        let folder = try TemporaryFolder()
        for name in ["one", "two"] {
            #expect(try open(folder.path(name), O_CREAT | O_WRONLY).close() == 0)
        }
        // A name that is not UTF-8.
        let odd = (folder.path + "/").utf8CString.dropLast() + [-1, 0]
        #expect(mkdir(Array(odd), 0o700) == 0)
        defer { rmdir(Array(odd)) }
        var found: [[UInt8]: Int] = [:]
        let code = FolderListing.each(folder.path) { entry in
            found[entry.bytes] = Int(entry.type)
            #expect((entry.name == nil) == (entry.bytes == [0xFF]))
            return true
        }
        #expect(code == 0)
        let (file, directory) = (Int(DT_REG), Int(DT_DIR))
        #expect(found == [Array("one".utf8): file, Array("two".utf8): file, [0xFF]: directory])
        var calls = 0
        let descriptor = try open(folder.path)
        let first = FolderListing.each(in: descriptor.number) { _ in
            calls += 1
            return false
        }
        #expect(first == 0 && calls == 1)
        #expect(descriptor.close() == 0)
        #expect(FolderListing.each(folder.path("one")) { _ in true } == ENOTDIR)
        #expect(FolderListing.each(in: -1) { _ in true } == EBADF)
    }

    @Test("A private folder is for this user alone, and goes with the files in it")
    func privateFolder() throws {
        let parent = try TemporaryFolder()
        var path = ""
        do {
            let folder = try #require(PrivateFolder(beginning: parent.path("held-")))
            let other = try #require(PrivateFolder(beginning: parent.path("held-")))
            path = folder.path
            #expect(path.hasPrefix(parent.path("held-")) && path != other.path)
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
            #expect(TemporaryFile.write([1], to: path + "/.hidden", mode: 0o600) == 0)
            #expect(FolderListing.names(parent.path)?.count == 2)
        }
        #expect(FolderListing.names(parent.path) == [])
        #expect(PrivateFolder(beginning: parent.path("missing/held-")) == nil)
    }

    @Test("Events in a folder have the number of their watch, their kind and the name of the file")
    func events() throws {
        let (one, other) = (try TemporaryFolder(), try TemporaryFolder())
        let events = try #require(FolderEvents())
        #expect(events.watch(one.path("missing"), for: UInt32(IN_CLOSE_WRITE)) == nil)
        let first = try #require(events.watch(one.path, for: UInt32(IN_CLOSE_WRITE)))
        let second = try #require(events.watch(other.path, for: UInt32(IN_MOVED_TO)))
        #expect(events.take().isEmpty)
        #expect(TemporaryFile.write([1], to: other.path("settings.json"), mode: 0o600) == 0)
        #expect(FileDescriptor(opening: one.path("a"), O_WRONLY | O_CREAT)?.close() == 0)
        var waiting = pollfd(fd: events.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waiting, 1, 0) == 1)
        let seen = events.take()
        #expect(seen.map(\.watch) == [second, first] && seen.map(\.name) == ["settings.json", "a"])
        #expect(seen.map(\.kinds) == [UInt32(IN_MOVED_TO), UInt32(IN_CLOSE_WRITE)])
        #expect(events.take().isEmpty)
    }
}
