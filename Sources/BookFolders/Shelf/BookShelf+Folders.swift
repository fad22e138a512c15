import OverlayKit

extension BookShelf {
    /// Makes a folder; gives why it cannot be made.
    func make(_ folder: ShelfPath) throws(OverlayError) -> OverlayError? {
        do throws(OverlayError) {
            try host.transport.makeFolder(place.root, place.path(folder))
            return nil
        } catch {
            if error.endsTheCall { throw error }
            return error
        }
    }

    /// Removes folders that lost their last book by a move, and those around them that became empty by it. A folder that
    /// holds anything else, also something hidden, stays.
    func removeEmpty(_ left: [ShelfPath]) {
        var folders = left
        while let folder = folders.popLast() {
            do throws(OverlayError) {
                guard try host.transport.list(place.root, place.path(folder)).isEmpty else { continue }
                // Not recursive: what appears there in this moment keeps the folder alive.
                try host.transport.remove(place.root, place.path(folder))
                if let parent = folder.folder { folders.append(parent) }
            } catch {
                if error.status == .notFound { continue }
                host.log.info("books", "The empty folder “\(folder)” stays: \(error.message)")
            }
        }
    }
}
