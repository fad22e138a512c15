import COpenSSL
import DeviceTransport
import Glibc

/// A file of this computer that was found fit to be uploaded.
package struct LocalBook: Sendable, Equatable {
    /// As the person wrote it.
    package var path: String
    /// Its name without folders.
    package var name: String
    /// What tells whether it is still the same file.
    package var identity: LocalIdentity
    /// Derived from the content: the same for the same bytes, whatever the file is called.
    package var uuid: String

    /// Checks a file and reads it through once.
    ///
    /// - Parameter formats: file name extensions the reader app takes; empty: any.
    package init(
        _ path: String, formats: [String], app: String, cancellation: Cancellation
    ) throws(HostError) {
        let name = String(path.split(separator: "/", omittingEmptySubsequences: true).last ?? "")
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw HostError(
                .inputUnreadable, "It is not a file.", subject: path, hint: "Name the books one by one.")
        }
        guard status.st_size > 0 else {
            throw HostError(.unsupportedFormat, "The file is empty.", subject: path)
        }
        let ending = Self.fileExtension(of: name)
        guard formats.isEmpty || formats.contains(ending) else {
            throw HostError(
                .unsupportedFormat,
                ending.isEmpty
                    ? "The file has no extension, so its format is not known."
                    : "\(app) does not take .\(ending) files.",
                subject: path, hint: "\(app) takes: \(formats.joined(separator: ", ")).")
        }
        self.path = path
        self.name = name
        uuid = try Self.contentUUID(descriptor, path, cancellation)
        identity = LocalIdentity(status)
        guard LocalIdentity(descriptor: descriptor) == identity else {
            throw HostError(
                .inputUnreadable, "The file changed while it was read.", subject: path,
                hint: "Wait until the program that writes it has finished, and try again.")
        }
    }

    private static func unreadable(_ path: String, _ code: Int32) -> HostError {
        HostError(
            .inputUnreadable, "The file cannot be read: \(systemMessage(code)).", subject: path,
            native: .posix(code))
    }

    /// The extension in lower case without its dot; empty if there is none.
    package static func fileExtension(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// SHA-256 of the content, its first half shaped as a UUID of version 8 (RFC 9562, section 5.8).
    private static func contentUUID(_ descriptor: Int32, _ path: String, _ cancellation: Cancellation)
        throws(HostError) -> String
    {
        guard let context = EVP_MD_CTX_new() else {
            throw HostError(.failed, "The digest cannot be computed.")
        }
        defer { EVP_MD_CTX_free(context) }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var isFine = EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while isFine {
            if cancellation.isCancelled { throw HostError(.cancelled, "The command was cancelled.") }
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            if count == 0 { break }
            isFine = EVP_DigestUpdate(context, buffer, count) == 1
        }
        isFine = isFine && EVP_DigestFinal_ex(context, &digest, nil) == 1
        guard isFine else {
            throw HostError(.failed, "The digest of the file cannot be computed.", subject: path)
        }
        return uuid(fromDigest: digest)
    }

    /// The first 16 bytes of a digest as a UUID of version 8.
    package static func uuid(fromDigest digest: [UInt8]) -> String {
        var bytes = Array(digest.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
