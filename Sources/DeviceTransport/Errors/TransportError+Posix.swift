import Glibc
import Platform

extension TransportError {
    /// The error for an `errno` of the host; `doing` begins a sentence, such as "Reading the file".
    package init(posix number: Int32, doing: String, subject: String? = nil) {
        let code: Code =
            switch number {
            case ENOENT: .notFound
            case EACCES, EPERM, EROFS: .permissionDenied
            case EEXIST: .exists
            case ENOSPC, EDQUOT: .noSpace
            case EISDIR: .isFolder
            case ENOTDIR: .notFolder
            case ENOTEMPTY: .folderNotEmpty
            case EMFILE, ENFILE: .tooManyDescriptors
            case EBUSY, ETXTBSY: .busy
            case ETIMEDOUT: .timedOut
            case EINVAL, ENAMETOOLONG: .invalidArgument
            case EFBIG: .tooLarge
            case ENOMEM: .internalFailure
            case EPIPE, ECONNRESET, ENOTCONN: .connectionLost
            default: .ioFailure
            }
        self.init(
            code, "\(doing) failed: \(systemText(number)).", subject: subject, native: .posix(number))
    }
}
