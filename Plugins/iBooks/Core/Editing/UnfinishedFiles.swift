import OverlayKit
import PropertyLists

/// The files that a command is about to send, or to remove after the lists have changed: noted on the host before it begins,
/// so that the next command finishes what was broken off.
///
/// Only files that no list names are ever touched on the strength of such a note. A host without storage has no notes; then
/// such files stay, are listed, and can be deleted. For the device thread, and for one command, which has claimed Books.
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
    /// What is noted: by a command that was broken off, and by this one.
    private(set) var files: [File]

    /// The notes as they are; none if they are damaged.
    init(_ host: HostServices) {
        self.host = host
        do {
            let bytes = try host.storage.read(.data, Self.key)
            let list = try bytes.map { try PropertyList(parsing: $0, limits: .file).array ?? [] } ?? []
            files = list.compactMap { value in
                guard let path = value["path"]?.string.flatMap({ SafePath($0) }), BookFormat(path) != nil
                else { return nil }
                return File(path: path, persistentID: value["id"]?.string)
            }
        } catch {
            host.log.debug("ibooks", "What was broken off is not known: \(error)")
            files = []
        }
    }

    /// Notes further files.
    ///
    /// - Throws: what the storage throws, except that there is none.
    func note(_ new: [File]) throws(OverlayError) {
        let paths = Set(new.map(\.path))
        try keep(files.filter { !paths.contains($0.path) } + new)
    }

    /// Takes back the notes of files that are listed, or gone.
    func settle(_ paths: Set<SafePath>) throws(OverlayError) {
        try keep(files.filter { !paths.contains($0.path) })
    }

    private func keep(_ new: [File]) throws(OverlayError) {
        guard new != files else { return }
        do throws(OverlayError) {
            if new.isEmpty {
                try host.storage.remove(.data, Self.key)
            } else {
                try host.storage.write(.data, Self.key, Self.encoded(new))
            }
        } catch {
            guard error.status == .notSupported else { throw error }
        }
        files = new
    }

    private static func encoded(_ files: [File]) throws(OverlayError) -> [UInt8] {
        let list = PropertyList.array(
            files.map { file in
                var values: [String: PropertyList] = ["path": .string(file.path.text)]
                values["id"] = file.persistentID.map { .string($0) }
                return .dictionary(values)
            })
        do throws(PropertyListError) { return try list.encoded(.binary) } catch {
            throw OverlayError(.failed, "What is about to be sent cannot be noted: \(error.message)")
        }
    }

    /// Removes what a broken-off command left: of the files noted those that no list names, and that this command does not
    /// need either.
    ///
    /// - Parameter needed: files that this command uses; their notes stay.
    func sweep(needed: Set<SafePath>) throws(OverlayError) {
        guard files.contains(where: { !needed.contains($0.path) }) else { return }
        // What the lists name counts as it is now, not as it was when the command began.
        let library = try LibraryReader(host: host).library()
        guard library.unreadable.isEmpty else { return }
        let listed = Set(library.items.lazy.compactMap { $0.entry?.persistentID?.uppercased() })
        var settled: Set<SafePath> = []
        for file in files where !needed.contains(file.path) {
            if let item = library.items.first(where: { $0.path == file.path }), item.sources.isEmpty {
                guard try remove(item, file, listed) else { continue }
            }
            settled.insert(file.path)
        }
        try settle(settled)
    }

    /// Removes a file that no list names, and its cover unless a listed book has it.
    ///
    /// - Returns: whether it is gone.
    private func remove(
        _ item: Library.Item, _ file: File, _ listed: Set<String>
    ) throws(OverlayError) -> Bool {
        do throws(OverlayError) {
            try removeIfThere(item.devicePath, recursive: item.isUnpacked)
            if let id = file.persistentID, !listed.contains(id.uppercased()) { try removeCover(id) }
            host.log.notice(
                "ibooks", "What an earlier command had left was removed.", ["file": item.path.text])
            return true
        } catch {
            if error.endsTheCall { throw error }
            host.log.warning(
                "ibooks", "What an earlier command had left cannot be removed: \(error.message)",
                ["file": item.path.text])
            return false
        }
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
