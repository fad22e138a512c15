import FoundationEssentials
import Glibc
import OverlayHost
import Platform

/// The covers of books on devices as files, so that a client can show them when it needs them. Any thread; several programs may
/// use one folder.
struct CoverCache: Sendable {
    /// A folder for each app of each device is made in it.
    let folder: String

    /// The file of a book's cover, named after what tells that the cover may have changed; nil for a book without one.
    func file(of book: Book, _ session: ServedSession) -> String? {
        guard let type = book.coverMediaType else { return nil }
        let facts = [
            book.path, book.uuid, book.contentID, book.size.map { "\($0)" }, book.coverSize.map { "\($0)" },
            type,
        ]
        let text = facts.map { $0 ?? "-" }.joined(separator: "\0")
        guard let digest = Digest.of(Array(text.utf8), .sha256) else { return nil }
        return place(session) + "/" + Hex.text(digest.prefix(16)) + Self.fileExtension(type)
    }

    /// Whether a file is there.
    func has(_ file: String) -> Bool { access(file, R_OK) == 0 }

    /// Keeps a cover. One that cannot be written is done without.
    func store(_ image: [UInt8], at file: String) {
        let url = URL(fileURLWithPath: file)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Data(image).write(to: url, options: .atomic)
        } catch {
            return
        }
    }

    /// Removes the cover of a book, because it is about to change.
    func forget(_ book: Book, _ session: ServedSession) {
        if let file = file(of: book, session) { unlink(file) }
    }

    /// Removes the covers of an app but for those of these files.
    func keep(only files: Set<String>, _ session: ServedSession) {
        let place = place(session)
        for name in FolderListing.names(place) ?? [] where !files.contains(place + "/" + name) {
            unlink(place + "/" + name)
        }
    }

    /// The ids come from a device, which may call itself anything.
    private func place(_ session: ServedSession) -> String {
        let parts = [session.udid, session.bundleID].map { id in
            String(id.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" }.prefix(128))
        }
        return ([folder] + parts).joined(separator: "/")
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
