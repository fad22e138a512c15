import Glibc
import HostErrors

/// The local files that a running method may read by number (`ovl_file_id`).
///
/// A number contains the generation of the call for which the file was lent, so that a number from an earlier call is
/// detected and cannot refer to another file. Only for use by the device thread.
final class FileLoans {
    /// A lent file.
    struct Loan: Equatable {
        /// The path of the file.
        var path: String
        /// The name for the overlay, without folders.
        var name: String
        /// The identity and size of the file when it was lent.
        var identity: LocalIdentity
        /// Whether `pull` fetched the file.
        var isFetched = false

        /// The error for a file that is not the one that was lent.
        var changed: HostError {
            HostError(
                .hostIO, "The file has changed since it was checked.", subject: name,
                hint: "Wait until the program that is writing it has finished, and try again.")
        }
    }

    private var generation: UInt64 = 1
    private var loans: [Loan] = []

    /// Lends a file until the running call returns.
    func lend(_ loan: Loan) -> UInt64 {
        loans.append(loan)
        return generation << 32 | UInt64(loans.count)
    }

    /// The file with a number.
    func loan(_ id: UInt64) throws(HostError) -> Loan {
        let index = Int(id & 0xFFFF_FFFF)
        guard id >> 32 == generation, index >= 1, index <= loans.count else {
            throw HostError(
                .notFound, "No host file is currently lent under this number.", subject: "file \(id)")
        }
        return loans[index - 1]
    }

    /// Invalidates all numbers.
    func endCall() {
        loans.removeAll()
        generation = generation % 0x7FFF_FFFF + 1
    }
}

/// Identifies a checked local file, to detect whether it was replaced or changed.
package struct LocalIdentity: Sendable, Equatable {
    /// The device number of the file system.
    package var device: UInt64
    /// The inode number of the file.
    package var inode: UInt64
    /// The size in bytes.
    package var size: UInt64
    /// The modification time in nanoseconds since 1970.
    package var modified: Int64

    /// Creates the identity from a file status.
    package init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = UInt64(max(0, status.st_size))
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    /// Reads the identity of an open file.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the identity of the file at a path. Symbolic links are followed.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
