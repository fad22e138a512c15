import CSystemShims
import Glibc

/// Writes all bytes at the descriptor's current position; returns 0, or the errno of the failure.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        rest = rest.dropFirst(count)
    }
    return 0
}

/// Writes all bytes at the descriptor's current position; returns 0, or the errno of the failure.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
}

/// Reads until the buffer is full or the file ends, from `offset` or from the descriptor's current position.
///
/// Returns the number of bytes read; nil, with errno, if reading fails.
package func readFully(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64? = nil
) -> Int? {
    var done = 0
    while done < buffer.count, let start = buffer.baseAddress {
        let (position, isTooFar) = (offset ?? 0).addingReportingOverflow(Int64(done))
        guard !isTooFar else { break }
        let count =
            offset == nil
            ? read(descriptor, start + done, buffer.count - done)
            : pread(descriptor, start + done, buffer.count - done, off_t(position))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return nil }
        if count == 0 { break }
        done += count
    }
    return done
}

/// Copies `size` bytes between two regular files inside the kernel, each from its current position.
///
/// Returns false, with errno, if that fails. EIO means that the source ended early.
package func copyFile(from source: Int32, to target: Int32, size: Int64) -> Bool {
    shim_copy_file(source, target, UInt64(max(0, size))) == 0
}

/// Waits until everything written to the file system of an open file is on its disk. Returns 0, or the errno of the
/// failure.
///
/// For many files: one wait instead of one for each. Does not wait for other disks.
package func synchronizeFileSystem(of descriptor: Int32) -> Int32 {
    shim_synchronize_file_system(descriptor) == 0 ? 0 : errno
}
