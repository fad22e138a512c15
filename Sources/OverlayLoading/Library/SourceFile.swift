import Diagnostics
import Glibc
import Platform

/// The opened file of an overlay.
struct SourceFile {
    /// Largest library that is loaded, bytes.
    static let largest: Int64 = 1 << 30

    let descriptor: Int32
    let status: stat
    /// The path without symbolic links.
    let realPath: String

    init(_ path: String) throws(OverlayRefusal) {
        guard let resolved = realpath(path, nil) else {
            throw Self.unreadable("cannot be opened: \(systemMessage(errno))")
        }
        realPath = String(cString: resolved)
        free(resolved)
        // Without O_NONBLOCK, opening a named pipe would wait for its writer.
        descriptor = open(realPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unreadable("cannot be opened: \(systemMessage(errno))") }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        self.status = status
        do throws(OverlayRefusal) {
            guard isKnown else { throw Self.unreadable("cannot be accessed") }
            try check()
        } catch {
            close()
            throw error
        }
    }

    func close() { _ = Glibc.close(descriptor) }

    /// Exactly `count` bytes at `offset`, or nil.
    func bytes(_ offset: UInt64, _ count: Int) -> [UInt8]? {
        guard let start = off_t(exactly: offset) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, start + off_t(done))
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            done += got
        }
        return bytes
    }

    private func check() throws(OverlayRefusal) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw OverlayRefusal(.notALibrary, "It is a special file, not a library.")
        }
        guard Int64(status.st_size) <= Self.largest else {
            throw OverlayRefusal(.notALibrary, "The file is larger than \(Self.largest) bytes.")
        }
        if let problem = FileTrust.problem(status) { throw FileTrust.refusal("The file", problem) }
        let folder = String(realPath[..<(realPath.lastIndex(of: "/") ?? realPath.startIndex)])
        var folderStatus = stat()
        guard stat(folder.isEmpty ? "/" : folder, &folderStatus) == 0 else {
            throw Self.unreadable("is in a folder that cannot be accessed: \(systemMessage(errno))")
        }
        if let problem = FileTrust.problem(folderStatus) {
            throw FileTrust.refusal("The folder \(folder)", problem)
        }
        // The overlay loads its libraries from there.
        try FileTrust.check(folder: Self.runtime(beside: folder))
    }

    /// The folder of the libraries that come with the overlays of a folder.
    static func runtime(beside folder: String) -> String {
        let parent = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
        return parent + "/runtime"
    }

    private static func unreadable(_ clause: String) -> OverlayRefusal {
        OverlayRefusal(.unreadable, "The file \(clause).")
    }
}

extension ELFImage {
    /// Reads a file that has been opened.
    init(_ file: SourceFile) throws(OverlayRefusal) {
        try self.init(size: UInt64(file.status.st_size)) { file.bytes($0, $1) }
    }
}

/// Looks at the library of an overlay without running its code.
package enum LibraryFile {
    /// The identity of the file, which changes whenever its content does; nil if there is no file.
    package static func identity(_ path: String) -> PrivateCopies.Identity? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return PrivateCopies.Identity(status)
    }

    /// Whether the file is a whole library with an entry function. It is not while a linker still writes it.
    package static func isComplete(_ path: String) -> Bool {
        do {
            let file = try SourceFile(path)
            defer { file.close() }
            return try !ELFImage(file).entryMajors.isEmpty
        } catch {
            return false
        }
    }

    /// The names of the symbols that the library exports. Throws why the file is not a library, or cannot be trusted.
    package static func exports(_ path: String) throws(OverlayRefusal) -> [String] {
        let file = try SourceFile(path)
        defer { file.close() }
        return try ELFImage(file).exportedSymbols
    }
}
