import Glibc

/// Lists the entries of a folder, without `.` and `..`.
package enum FolderListing {
    /// The most names that are read from one folder, because a hostile folder may hold any number.
    package static let most = 4096

    /// An entry of a folder.
    package struct Entry {
        /// The bytes of its name, which need not be UTF-8.
        package let bytes: [UInt8]
        /// Its type: `DT_REG` and so on; `DT_UNKNOWN` on some file systems.
        package let type: UInt8

        /// Its name; nil if it is not UTF-8.
        package var name: String? { String(validating: bytes, as: UTF8.self) }
    }

    /// The names, sorted by bytes; nil, with errno, if the folder cannot be read.
    package static func names(_ folder: String) -> [String]? {
        names(most) { each(folder, $0) }?.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The names in the folder of a descriptor, which is not changed, in the order of the file system. Their number
    /// is not limited. Nil with errno set if the folder cannot be read.
    package static func names(in folder: Int32) -> [String]? { names(.max) { each(in: folder, $0) } }

    /// Calls `body` with each entry, in the order of the file system, until it returns false.
    ///
    /// - Returns: 0, or the errno of the failure, which may come after some entries.
    package static func each<Failure>(
        _ folder: String, _ body: (Entry) throws(Failure) -> Bool
    ) throws(Failure) -> Int32 {
        guard let stream = opendir(folder) else { return errno }
        return try each(stream, body)
    }

    /// The same for the folder of a descriptor, which is not changed.
    package static func each<Failure>(
        in folder: Int32, _ body: (Entry) throws(Failure) -> Bool
    ) throws(Failure) -> Int32 {
        // The stream takes ownership of its descriptor, and reading changes that descriptor's position.
        var opened = FileDescriptor(opening: ".", in: folder, O_RDONLY | O_DIRECTORY)
        if opened == nil, errno == EACCES {
            // A folder that may be listed but not searched cannot be opened again.
            opened = FileDescriptor(owning: fcntl(folder, F_DUPFD_CLOEXEC, 0))
        }
        guard let number = opened?.release() else { return errno }
        guard let stream = fdopendir(number) else {
            let code = errno
            close(number)
            return code
        }
        return try each(stream, body)
    }

    private static func each<Failure>(
        _ stream: OpaquePointer, _ body: (Entry) throws(Failure) -> Bool
    ) throws(Failure) -> Int32 {
        defer { closedir(stream) }
        while true {
            // Only errno distinguishes a failure from the end.
            errno = 0
            guard let next = readdir(stream) else { return errno }
            let bytes = withUnsafeBytes(of: &next.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if bytes == [UInt8(ascii: ".")] || bytes == Array("..".utf8) { continue }
            guard try body(Entry(bytes: bytes, type: next.pointee.d_type)) else { return 0 }
        }
    }

    private static func names(
        _ most: Int, _ each: ((Entry) -> Bool) -> Int32
    ) -> [String]? {
        var names: [String] = []
        let code = each { entry in
            names.append(String(decoding: entry.bytes, as: UTF8.self))
            return names.count < most
        }
        guard code == 0 else {
            errno = code
            return nil
        }
        return names
    }
}
