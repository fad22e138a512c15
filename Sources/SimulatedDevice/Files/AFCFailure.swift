import DeviceWire
import Glibc

/// A request that ends with a status other than success.
package struct AFCFailure: Error, Hashable, Sendable {
    /// The status to answer.
    package var status: AFCStatus

    /// Creates a failure with that status.
    package init(_ status: AFCStatus) {
        self.status = status
    }

    /// Creates a failure from the errno of a system call. Numbers without a specific status become the I/O error.
    init(errno number: Int32) {
        switch number {
        case ENOENT, ENOTDIR: status = .objectNotFound
        case EISDIR: status = .objectIsDirectory
        case EACCES, EPERM, EROFS: status = .permissionDenied
        case EEXIST: status = .objectExists
        case ENOTEMPTY: status = .unknownError
        case EBUSY, ETXTBSY: status = .objectBusy
        case EAGAIN: status = .operationWouldBlock
        case ENOSPC, EDQUOT: status = .noSpaceLeft
        case EINVAL, ENAMETOOLONG, ELOOP, ESPIPE, EOVERFLOW, EILSEQ: status = .invalidArgument
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: status = .noResources
        case EFBIG: status = .tooMuchData
        default: status = .ioError
        }
    }

    /// Repeats a call while it is interrupted. Throws if the result is negative.
    @discardableResult
    static func check<Number: SignedInteger>(_ call: () -> Number) throws(AFCFailure) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw AFCFailure(errno: number) }
        }
    }
}
