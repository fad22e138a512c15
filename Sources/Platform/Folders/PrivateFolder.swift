import Glibc

/// A folder that only this user can read. It is removed with its files when the last reference is released. Any
/// thread.
package final class PrivateFolder: Sendable {
    /// The path of the folder.
    package let path: String

    /// Creates an empty folder; nil, with errno, if that fails.
    ///
    /// - Parameter beginning: the beginning of its path: the parent folder and the first part of the name.
    package init?(beginning: String) {
        guard let path = Self.make(beginning: beginning) else { return nil }
        self.path = path
    }

    /// Creates an empty folder that the caller removes; returns its path, or nil, with errno.
    ///
    /// - Parameter beginning: the beginning of its path.
    package static func make(beginning: String) -> String? {
        // mkdtemp creates it with mode 0700 under a name that cannot be guessed.
        var template = Array((beginning + "XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        // The folder holds files only.
        _ = FolderListing.each(path) { entry in
            if let name = entry.name { unlink(path + "/" + name) }
            return true
        }
        rmdir(path)
    }
}
