import Diagnostics
import Glibc
import Platform

/// The open file of an overlay.
struct SourceFile: ~Copyable {
    /// The largest library that is loaded, in bytes.
    static let largest: Int64 = 1 << 30

    private let file: FileDescriptor
    let status: stat
    /// The path without symbolic links.
    let realPath: String

    init(_ path: String) throws(OverlayRefusal) {
        guard let resolved = realpath(path, nil) else {
            throw Self.unreadable(fileProblem("The file cannot be opened", errno))
        }
        defer { free(resolved) }
        let real = String(cString: resolved)
        // Without O_NONBLOCK, opening a named pipe would wait for its writer.
        guard let file = FileDescriptor(opening: real, O_RDONLY | O_NONBLOCK) else {
            throw Self.unreadable(fileProblem("The file cannot be opened", errno))
        }
        guard let status = file.status else { throw Self.unreadable("The file cannot be accessed.") }
        try Self.check(status, real)
        (self.status, realPath) = (status, real)
        self.file = file
    }

    /// The file descriptor for reading, valid as long as this value.
    var descriptor: Int32 { file.number }

    /// Reads exactly `count` bytes at `offset`; nil if that is not possible.
    fileprivate static func bytes(_ descriptor: Int32, _ offset: UInt64, _ count: Int) -> [UInt8]? {
        guard let start = Int64(exactly: offset) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let got = bytes.withUnsafeMutableBytes { readFully(descriptor, into: $0, at: start) }
        return got == count ? bytes : nil
    }

    private static func check(_ status: stat, _ realPath: String) throws(OverlayRefusal) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw OverlayRefusal(.notALibrary, "It is a special file, not a library.")
        }
        guard Int64(status.st_size) <= Self.largest else {
            throw OverlayRefusal(.notALibrary, "The file is larger than \(Self.largest) bytes.")
        }
        if let problem = FileTrust.problem(status) { throw FileTrust.refusal("The file", problem) }
        let folder = String(realPath.pathFolder ?? "")
        var folderStatus = stat()
        guard stat(folder.isEmpty ? "/" : folder, &folderStatus) == 0 else {
            throw Self.unreadable("The file is in a folder that cannot be accessed: \(systemText(errno)).")
        }
        if let problem = FileTrust.problem(folderStatus) {
            throw FileTrust.refusal("The folder \(folder)", problem)
        }
        // The overlay loads its libraries from this folder.
        try FileTrust.check(folder: Self.runtime(beside: folder))
    }

    /// The folder of the libraries for the overlays in a folder.
    static func runtime(beside folder: String) -> String {
        (folder.pathFolder ?? "") + "/runtime"
    }

    private static func unreadable(_ message: String) -> OverlayRefusal {
        OverlayRefusal(.unreadable, message)
    }
}

extension ELFImage {
    /// Reads an open file.
    init(_ file: borrowing SourceFile) throws(OverlayRefusal) {
        // The image reads all necessary parts here and does not keep the file.
        let descriptor = file.descriptor
        try self.init(size: UInt64(file.status.st_size)) { SourceFile.bytes(descriptor, $0, $1) }
    }
}

/// Examines the library of an overlay without running its code.
package enum LibraryFile {
    /// The identity of the file, which changes whenever its content changes; nil if the file does not exist.
    package static func identity(_ path: String) -> PrivateCopies.Identity? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return PrivateCopies.Identity(status)
    }

    /// Whether the file is a complete library with an entry function. This is false while a linker still writes the
    /// file.
    package static func isComplete(_ path: String) -> Bool {
        do {
            let file = try SourceFile(path)
            return try !ELFImage(file).entryMajors.isEmpty
        } catch {
            return false
        }
    }

    /// The names of the symbols that the library exports. Throws an error if the file is not a library, or cannot be
    /// trusted.
    package static func exports(_ path: String) throws(OverlayRefusal) -> [String] {
        let file = try SourceFile(path)
        return try ELFImage(file).exportedSymbols
    }
}
