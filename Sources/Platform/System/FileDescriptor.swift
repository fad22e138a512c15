import Glibc

/// An open file, folder or socket of this process. It is closed when its owner releases it.
///
/// System calls may use the number while the value exists. Child processes do not inherit the descriptor.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number, for system calls; valid as long as this value exists.
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
    ///   - folder: the descriptor of an open folder; by default the working folder of the process.
    ///   - flags: the flags of `open(2)`.
    ///   - mode: the permissions of a file that is created.
    package init?(
        opening path: String, in folder: Int32 = AT_FDCWD, _ flags: Int32 = O_RDONLY, mode: mode_t = 0o600
    ) {
        self.init(owning: openat(folder, path, flags | O_CLOEXEC, mode))
    }

    deinit { _ = Glibc.close(number) }

    /// Closes the descriptor now; returns 0, or the errno of the failure.
    ///
    /// Some file systems report only on closing whether the content was written.
    package consuming func close() -> Int32 {
        let number = release()
        return Glibc.close(number) == 0 ? 0 : errno
    }

    /// Gives up ownership without closing and returns the number; the new owner must close it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// The file's status as `fstat(2)` returns it; nil, with errno, on failure.
    package var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }
}
