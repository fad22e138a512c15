import Glibc
import HostErrors

/// The local files that a running method may read by number (`ovl_file_id`).
///
/// A number holds the generation of the call it was lent for, so that one kept from an earlier call is noticed and never
/// means another file. Only the device thread uses it.
final class FileLoans {
    /// One file.
    struct Loan: Equatable {
        /// Where it is.
        var path: String
        /// Its name for the overlay, without folders.
        var name: String
        /// Its size in bytes and its identity when it was lent.
        var identity: LocalIdentity
        /// Whether `pull` brought it.
        var isFetched = false
    }

    private var generation: UInt64 = 1
    private var loans: [Loan] = []

    /// Lends a file until the running call returns.
    func lend(_ loan: Loan) -> UInt64 {
        loans.append(loan)
        return generation << 32 | UInt64(loans.count)
    }

    /// The file of a number.
    func loan(_ id: UInt64) throws(HostError) -> Loan {
        let index = Int(id & 0xFFFF_FFFF)
        guard id >> 32 == generation, index >= 1, index <= loans.count else {
            throw HostError(
                .notFound, "No host file is currently lent under this number.", subject: "file \(id)")
        }
        return loans[index - 1]
    }

    /// Makes all numbers stale.
    func endCall() {
        loans.removeAll()
        generation = generation % 0x7FFF_FFFF + 1
    }
}

/// Shows whether a local file is still the one that was checked.
package struct LocalIdentity: Sendable, Equatable {
    /// Device and number of the file.
    package var device: UInt64
    /// Number of the file on its device.
    package var inode: UInt64
    /// Bytes.
    package var size: UInt64
    /// Nanoseconds since 1970.
    package var modified: Int64

    /// The identity that a status shows.
    package init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = UInt64(max(0, status.st_size))
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    /// The identity of an open file.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The identity of the file at a path, symbolic links followed.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
