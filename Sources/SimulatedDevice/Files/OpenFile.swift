import DeviceWire
import Glibc

/// A file that a client has open on its connection. Its position is that of the descriptor.
final class OpenFile {
    let descriptor: Int32
    let path: String
    let mode: AFCOpenMode

    /// Takes ownership of an open descriptor.
    init(owning descriptor: Int32, path: String, mode: AFCOpenMode) {
        self.descriptor = descriptor
        self.path = path
        self.mode = mode
    }

    deinit {
        _ = close(descriptor)
    }

    /// The length in bytes.
    func size() throws(AFCFailure) -> UInt64 {
        var information = stat()
        try AFCFailure.check { fstat(descriptor, &information) }
        return UInt64(clamping: information.st_size)
    }

    /// The position of the next read or write.
    func position() throws(AFCFailure) -> UInt64 {
        UInt64(clamping: try AFCFailure.check { lseek(descriptor, 0, SEEK_CUR) })
    }

    /// Reads into `buffer` until it is full or the file ends. Returns the number of bytes read.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(AFCFailure) -> Int {
        var count = 0
        while count < buffer.count {
            let read = try AFCFailure.check {
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if read == 0 { break }
            count += read
        }
        return count
    }

    /// Writes all of `bytes`.
    func write(_ bytes: ArraySlice<UInt8>) throws(AFCFailure) {
        var rest = bytes
        while !rest.isEmpty {
            let written = try AFCFailure.check {
                rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(written)
        }
    }
}
