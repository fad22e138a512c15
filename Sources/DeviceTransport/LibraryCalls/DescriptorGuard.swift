import Glibc

/// Prevents libimobiledevice from getting file descriptors that it cannot use: its `select` aborts the process at
/// 1,024 and above.
enum DescriptorGuard {
    /// The first descriptor that the library cannot use.
    static let limit: Int32 = 1024
    /// The number of descriptors kept free for the library's own files and for other threads.
    private static let reserve: Int32 = 64

    /// Throws `.tooManyDescriptors` if the process has so many open files that the library could reach the limit.
    /// First closes files of transfers, which are opened again when needed.
    static func check() throws(TransportError) {
        while true {
            let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
            let number = errno
            if next >= 0 {
                close(next)
                if next < limit - reserve { return }
            }
            let isShort = next >= 0 || number == EMFILE || number == ENFILE
            if isShort, LocalFileBudget.shared.closeOne() { continue }
            guard next >= 0 else {
                throw TransportError(posix: number, doing: "Opening a connection to the device")
            }
            throw error
        }
    }

    static var error: TransportError {
        TransportError(
            .tooManyDescriptors, "This process has too many files open to talk to a device.",
            hint: "libimobiledevice supports fewer than 1,024 open files. Close some.")
    }
}
