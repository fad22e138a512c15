import Glibc

/// An open file, folder or socket of this process, closed when its owner lets go of it.
///
/// The number may be lent to system calls while the value lives. Programs that this one starts do not inherit it.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number, for system calls; valid as long as this value.
    package let number: Int32

    /// Takes over an open descriptor; nil for a negative number, as system calls return on failure.
    package init?(owning number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    /// Opens a file or folder; nil, with errno, if that fails.
    ///
    /// - Parameters:
    ///   - path: the path, relative to `folder`.
    ///   - folder: the number of an open folder; without one the working folder of the process.
    ///   - flags: those of `open(2)`.
    ///   - mode: the permissions of a file that is made.
    package init?(
        opening path: String, in folder: Int32 = AT_FDCWD, _ flags: Int32 = O_RDONLY, mode: mode_t = 0o600
    ) {
        self.init(owning: openat(folder, path, flags | O_CLOEXEC, mode))
    }

    deinit { _ = Glibc.close(number) }

    /// Closes it now; 0, or the errno of the failure.
    ///
    /// On some file systems only closing tells whether the content was written.
    package consuming func close() -> Int32 {
        let number = release()
        return Glibc.close(number) == 0 ? 0 : errno
    }

    /// Hands the descriptor over to something else, which closes it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// What the file system says of it; nil, with errno, if it cannot be asked.
    package var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }
}
