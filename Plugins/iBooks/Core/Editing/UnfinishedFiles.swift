import OverlayKit
import PropertyLists

/// The files that a command is about to send, or to remove after the lists have changed: noted on the host before it begins,
/// so that the next command finishes what was broken off.
///
/// Only files that no list names are ever touched on the strength of such a note. A host without storage has no notes; then
/// such files stay, are listed, and can be deleted. For the device thread.
final class UnfinishedFiles {
    private static let key = "unfinished-1.plist"

    /// One file.
    struct File: Equatable {
        /// Below `/Books`.
        let path: SafePath
        /// The name of its cover; nil if it has none, or shares it with the book that takes its place.
        let persistentID: String?
    }

    private let host: HostServices
    /// What could not be removed yet, and stays noted.
    private var left: [File] = []

    init(_ host: HostServices) { self.host = host }

    /// Notes the files of a command.
    ///
    /// - Throws: what the storage throws, except that there is none.
    func note(_ files: [File]) throws(OverlayError) {
        let files = left + files
        do throws(OverlayError) {
            guard !files.isEmpty else { return try host.storage.remove(.data, Self.key) }
            let list = PropertyList.array(
                files.map { file in
                    var values: [String: PropertyList] = ["path": .string(file.path.text)]
                    values["id"] = file.persistentID.map { .string($0) }
                    return .dictionary(values)
                })
            let bytes: [UInt8]
            do throws(PropertyListError) { bytes = try list.encoded(.binary) } catch {
                throw OverlayError(.failed, "What is about to be sent cannot be noted: \(error.message)")
            }
            try host.storage.write(.data, Self.key, bytes)
        } catch {
            guard error.status == .notSupported else { throw error }
        }
    }

    /// The files of a command that was broken off; none if the note is damaged.
    func files() -> [File] {
        do {
            guard let bytes = try host.storage.read(.data, Self.key) else { return [] }
            let list = try PropertyList(parsing: bytes, limits: .file).array ?? []
            return list.compactMap { value in
                guard let path = value["path"]?.string.flatMap({ SafePath($0) }), BookFormat(path) != nil
                else { return nil }
                return File(path: path, persistentID: value["id"]?.string)
            }
        } catch {
            host.log.debug("ibooks", "What was broken off is not known: \(error)")
            return []
        }
    }

    /// Removes what a broken-off command left: of the files noted those that no list names, and that this command does not
    /// need either.
    ///
    /// - Parameter needed: files that this command uses.
    func sweep(_ library: Library, needed: Set<SafePath>) throws(OverlayError) {
        let noted = files()
        guard !noted.isEmpty else { return }
        let listed = Set(library.items.lazy.compactMap { $0.entry?.persistentID?.uppercased() })
        for file in noted where !needed.contains(file.path) {
            guard let item = library.items.first(where: { $0.path == file.path }) else { continue }
            guard item.sources.isEmpty else { continue }
            do throws(OverlayError) {
                try removeIfThere(item.devicePath, recursive: item.isUnpacked)
                if let id = file.persistentID, !listed.contains(id.uppercased()) { try removeCover(id) }
                host.log.notice(
                    "ibooks", "What an earlier command had left was removed.", ["file": item.path.text])
            } catch {
                if error.endsTheCall { throw error }
                left.append(file)
                host.log.warning(
                    "ibooks", "What an earlier command had left cannot be removed: \(error.message)",
                    ["file": item.path.text])
            }
        }
        try note([])
    }

    /// Removes a cover; one that is not there is fine.
    func removeCover(_ persistentID: String) throws(OverlayError) {
        guard let name = SafePath(persistentID), !persistentID.contains("/") else { return }
        try removeIfThere(ArtworkFolder.path + "/" + name.text)
    }

    private func removeIfThere(_ path: String, recursive: Bool = false) throws(OverlayError) {
        do throws(OverlayError) {
            try host.transport.remove(.media, path, recursive: recursive)
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }
}
