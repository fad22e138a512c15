import OverlayKit

extension BookShelf {
    /// Creates a folder and records which of its levels are new; returns why it cannot be created.
    func make(_ folder: ShelfPath) throws(OverlayError) -> OverlayError? {
        do throws(OverlayError) {
            var levels: [ShelfPath] = []
            var level: ShelfPath? = folder
            while let path = level {
                levels.append(path)
                level = path.folder
            }
            let found = try host.transport.stat(place.root, levels.map { place.path($0) })
            for (level, answer) in zip(levels, found) {
                if case .success(let info) = answer, info.kind == .link { return .linkedFolder(level) }
            }
            madeFolders.note(
                zip(levels, found).compactMap { path, answer in
                    if case .failure(let error) = answer, error.status == .notFound { return path }
                    return nil
                })
            try host.transport.makeFolder(place.root, place.path(folder))
            return nil
        } catch {
            if error.endsTheCall { throw error }
            return error
        }
    }

    /// Removes folders that lost their last book, and their parents if they became empty. A folder that holds
    /// anything else, even something hidden, stays.
    ///
    /// - Parameter onlyMade: whether to remove only folders that this program created.
    func removeEmpty(_ left: [ShelfPath], onlyMade: Bool = false) {
        var folders = left
        var gone: [ShelfPath] = []
        defer { if !gone.isEmpty { madeFolders.forget(gone) } }
        while let folder = folders.popLast() {
            guard !onlyMade || madeFolders.contains(folder) else { continue }
            do throws(OverlayError) {
                guard try host.transport.list(place.root, place.path(folder)).isEmpty else { continue }
                // Do not remove recursively, so that the folder stays if something has just been added.
                try host.transport.remove(place.root, place.path(folder))
                gone.append(folder)
                if let parent = folder.folder { folders.append(parent) }
            } catch {
                if error.status == .notFound { continue }
                host.log.info("books", "Cannot remove the empty folder '\(folder)': \(error.message)")
            }
        }
    }
}

extension ShelfPath {
    /// All folders above these paths, each once.
    static func folders(above paths: [ShelfPath]) -> [ShelfPath] {
        var folders: [ShelfPath] = []
        var seen: Set<ShelfPath> = []
        for path in paths {
            var level = path.folder
            while let folder = level, seen.insert(folder).inserted {
                folders.append(folder)
                level = folder.folder
            }
        }
        return folders
    }
}

extension OverlayError {
    /// The error for a collection whose folder, or a folder above it, is a link.
    static func linkedFolder(_ path: ShelfPath) -> OverlayError {
        OverlayError(
            .alreadyExists, "A link has the name of the collection's folder.", subject: path.text,
            hint: "Choose another name for the collection.")
    }
}
