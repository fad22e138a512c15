import Glibc

extension TransportError {
    /// The error for an `errno` of this computer.
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
            code, "\(doing): \(Self.meaning(ofErrno: number))", subject: subject,
            native: NativeError(.posix, Int64(number)))
    }

    private static func meaning(ofErrno number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        // The message is put into our own buffer, so any thread may ask.
        let failed = buffer.withUnsafeMutableBufferPointer { strerror_r(number, $0.baseAddress!, $0.count) }
        guard failed == 0 else { return "error \(number)" }
        return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }
}
