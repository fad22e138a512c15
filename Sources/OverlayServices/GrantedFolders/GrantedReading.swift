import Glibc
import HostErrors
import Platform

/// A file in a granted folder that is being read. Detects changes during this time.
final class GrantedReading {
    /// The entry of the file when it was opened.
    let file: GrantedFile
    private let descriptor: FileDescriptor
    private let subject: String

    /// The number of bytes that are read together.
    private static let piece = 1 << 20

    /// Takes ownership of an open file.
    init(_ descriptor: consuming FileDescriptor, _ file: GrantedFile, _ subject: String) {
        self.descriptor = descriptor
        (self.file, self.subject) = (file, subject)
    }

    /// A path with which this process can open this file again, even if another file has its name. Valid as long as
    /// the object.
    var path: String { "/proc/self/fd/\(descriptor.number)" }

    /// Passes a range to `body` in pieces. An empty range is passed as one empty piece. The range ends at the end of
    /// the file at the latest.
    ///
    /// - Throws: `invalidArgument` for a range that begins after the end, `changed`, `hostIO`, and the errors of
    ///   `body`.
    func forEachPiece(
        from offset: UInt64, length: UInt64 = .max,
        _ body: (_ piece: ArraySlice<UInt8>, _ offset: UInt64, _ total: UInt64) throws(HostError) -> Void
    ) throws(HostError) {
        guard offset <= file.size else {
            throw HostError(
                .invalidArgument, "The range begins after the end of the file.", subject: subject)
        }
        let total = min(length, file.size - offset)
        var buffer = [UInt8](repeating: 0, count: Int(min(total, UInt64(Self.piece))))
        var done: UInt64 = 0
        repeat {
            let wanted = Int(min(UInt64(buffer.count), total - done))
            let (number, position) = (descriptor.number, Int64(clamping: offset + done))
            let count = buffer.withUnsafeMutableBytes {
                readFully(number, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]), at: position)
            }
            guard let count else { throw GrantedFolder.failed("read", subject, errno) }
            guard count == wanted else { throw GrantedFolder.changed(subject) }
            try body(buffer[..<wanted], done, total)
            done += UInt64(wanted)
        } while done < total
        try checkUnchanged()
    }

    /// The SHA-256 of the content in hexadecimal.
    ///
    /// - Parameter check: called between pieces. An error ends the reading.
    func digest(_ check: () throws(HostError) -> Void) throws(HostError) -> String {
        let digest = Digest(.sha256)
        try forEachPiece(from: 0) { piece, _, _ throws(HostError) in
            try check()
            piece.withUnsafeBytes { digest.add($0) }
        }
        guard let bytes = digest.finish() else {
            throw HostError(
                .failed, "The digest cannot be computed: libcrypto has no SHA-256.", subject: subject)
        }
        return Hex.text(bytes)
    }

    /// Throws `changed` if the content of the file has changed.
    func checkUnchanged() throws(HostError) {
        guard let status = descriptor.status, GrantedFile(file.name, status).hasContent(of: file) else {
            throw GrantedFolder.changed(subject)
        }
    }
}
