import Glibc

/// A folder that only this user can look into, removed with the files in it when the last reference goes. Any thread.
package final class PrivateFolder: Sendable {
    /// Where it is.
    package let path: String

    /// Makes an empty folder; nil, with errno, when that is not possible.
    ///
    /// - Parameter beginning: what its path begins with: the folder above it, and a part of a name.
    package init?(beginning: String) {
        guard let path = Self.make(beginning: beginning) else { return nil }
        self.path = path
    }

    /// Makes an empty folder that somebody else removes; its path, or nil, with errno.
    ///
    /// - Parameter beginning: what its path begins with.
    package static func make(beginning: String) -> String? {
        // mkdtemp makes it with mode 0700 under a name that cannot be guessed.
        var template = Array((beginning + "XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if let stream = opendir(path) {
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                // The folder holds files only; `.` and `..` fail with EISDIR.
                unlink(path + "/" + name)
            }
            closedir(stream)
        }
        rmdir(path)
    }
}
