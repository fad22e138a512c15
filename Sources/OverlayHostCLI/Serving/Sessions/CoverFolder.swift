import FoundationEssentials
import Glibc
import OverlayHost
import Platform

/// The covers of an app's books as files, so that a client can show them on demand. Any thread; several programs may
/// use one folder.
struct CoverFolder: Sendable {
    private let path: String
    /// How many seconds a cover is kept although it is not in any list.
    private static let newest = 3600

    /// The covers of an app on a device.
    ///
    /// - Parameter caches: the folder in which a folder for each device is created.
    init(in caches: String, udid: String, bundleID: String) {
        // The ids come from a device, which may use any text.
        let parts = [udid, bundleID].map { id in
            String(id.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" }.prefix(128))
        }
        path = ([caches] + parts).joined(separator: "/")
    }

    /// The file of a book's cover. Its name is derived from values that change with the cover; nil for a book without
    /// a cover.
    func file(of book: Book) -> String? {
        guard let type = book.coverMediaType else { return nil }
        let facts = [
            book.path, book.uuid, book.contentID, book.size.map { "\($0)" }, book.coverSize.map { "\($0)" },
            type,
        ]
        let text = facts.map { $0 ?? "-" }.joined(separator: "\0")
        guard let digest = Digest.of(Array(text.utf8), .sha256) else { return nil }
        return path + "/" + Hex.text(digest.prefix(16)) + Self.fileExtension(type)
    }

    /// Whether a file exists.
    func has(_ file: String) -> Bool { access(file, R_OK) == 0 }

    /// The files that exist. The folder is read once, which is faster than checking each file.
    func there(of files: Set<String>) -> Set<String> {
        files.isEmpty ? [] : there(of: files, FolderListing.names(path) ?? [])
    }

    /// Removes all covers except these files. Covers from the last hour are kept, because another program may just
    /// have stored them for a newer list.
    ///
    /// - Returns: the files that exist.
    func keep(only files: Set<String>) -> Set<String> {
        let names = FolderListing.names(path) ?? []
        let now = time(nil)
        for name in names where !files.contains(path + "/" + name) {
            var status = stat()
            guard lstat(path + "/" + name, &status) == 0, now - status.st_mtim.tv_sec > Self.newest else {
                continue
            }
            unlink(path + "/" + name)
        }
        return there(of: files, names)
    }

    private func there(of files: Set<String>, _ names: [String]) -> Set<String> {
        let listed = files.intersection(names.map { path + "/" + $0 })
        guard names.count == FolderListing.most else { return listed }
        // The listing of the folder may be incomplete.
        return listed.union(files.subtracting(listed).filter(has))
    }

    /// Stores a cover. A cover that cannot be written is ignored.
    ///
    /// - Returns: whether it was written.
    func store(_ image: [UInt8], at file: String) -> Bool {
        do {
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            return false
        }
        return TemporaryFile.write(image, to: file, mode: 0o600) == 0
    }

    /// Removes the cover of a book, because it is about to change.
    func forget(_ book: Book) {
        if let file = file(of: book) { unlink(file) }
    }

    private static func fileExtension(_ type: String) -> String {
        switch type {
        case "image/png": ".png"
        case "image/gif": ".gif"
        case "image/webp": ".webp"
        default: ".jpg"
        }
    }
}
