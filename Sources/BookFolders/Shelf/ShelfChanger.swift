import OverlayKit
import Platform

/// Renames and moves books one after the other.
struct ShelfChanger {
    private let scan: ShelfScan
    private let edits: ShelfEdits
    /// The folders that existed before.
    private let folders: Set<ShelfPath>
    private let links: Set<ShelfPath>
    private var taken: TakenNames
    /// Folders that lost a book.
    private(set) var left: [ShelfPath] = []
    private var moved: [ShelfPath: ShelfPath] = [:]
    /// Folders that were created.
    private var made: Set<ShelfPath> = []
    /// Folders that were recorded because they were about to be created.
    private var noted: Set<ShelfPath> = []
    private var host: HostServices { scan.shelf.host }
    private var place: BookPlace { scan.shelf.place }

    init(_ scan: ShelfScan, _ edits: ShelfEdits) {
        self.scan = scan
        self.edits = edits
        taken = TakenNames(scan.contents)
        folders = Set(scan.contents.folders)
        links = Set(scan.contents.links)
    }

    /// The present path of a file.
    func path(of file: FoundFile) -> ShelfPath { moved[file.path] ?? file.path }

    /// Records all missing folders for the books at once.
    mutating func noteFolders(for books: [(file: FoundFile, book: Book)]) {
        for (file, book) in books {
            do throws(OverlayError) {
                if let folder = try wantedFolder(file, book) { noted.formUnion(newLevels(of: folder)) }
            } catch {
                // The book cannot have such a folder. Its row reports the error.
                continue
            }
        }
        scan.shelf.madeFolders.note(noted)
    }

    /// Forgets the folders that were recorded but not created.
    func forgetUnmade() { scan.shelf.madeFolders.forget(noted.subtracting(made)) }

    /// Changes a book as requested.
    ///
    /// - Returns: its new path; nil if nothing differs.
    mutating func change(_ file: FoundFile, to book: Book) throws(OverlayError) -> ShelfPath? {
        let current = scan.book(file)
        var note = Book()
        var title: String?
        if let wanted = book.title, wanted != current.title {
            guard wanted.contains(where: { !$0.isWhitespace }) else {
                throw OverlayError(
                    .invalidArgument, "A book must have a title.", subject: file.path.text,
                    hint: "Give a title that is not empty.")
            }
            (note.title, title) = (wanted, wanted)
        }
        if edits.keepsAuthors, let wanted = book.authors, wanted != current.authors ?? [] {
            note.authors = wanted
        }
        let folder = try wantedFolder(file, book)
        // Read before the file moves and recorded afterwards, so that repeating an interrupted change completes it.
        let content = try note == Book() ? nil : content(of: file)
        let newPath = try path(for: file, title: edits.titleRenamesFile ? title : nil, in: folder)
        guard content != nil || newPath != nil else { return nil }
        if let newPath { try move(file, to: newPath) }
        do throws(OverlayError) {
            if let content {
                scan.notes.edit(content, note)
                try scan.notes.save()
            }
        } catch {
            if let newPath { try moveBack(file, from: newPath, because: error) }
            throw error
        }
        settle(file, newPath)
        return newPath ?? path(of: file)
    }

    /// The folder for the book: its present one if no collections are given.
    private func wantedFolder(_ file: FoundFile, _ book: Book) throws(OverlayError) -> ShelfPath? {
        guard edits.collectionMovesFile, let collections = book.collections else { return file.path.folder }
        let wanted = collections.filter { !$0.isEmpty }
        guard wanted.count <= 1 else {
            var error = OverlayError.oneFolder(scan.shelf.options.appName)
            // A single new collection is a request to move, which must also name the old collection to remove.
            let new = wanted.filter { $0 != file.path.folder?.text }
            if let own = file.path.folder?.text, new.count == 1, let name = new.first {
                error.hint =
                    "To move it: overlayhost collections --add \(name.shellWord) --remove \(own.shellWord) "
                    + file.path.text.shellWord + " --app \(scan.shelf.options.appName.shellWord)"
                error.hintKind = .collections
            }
            throw error
        }
        guard let name = wanted.first else { return nil }
        if let own = file.path.folder, name == own.text { return own }
        return try scan.folder(named: name, taken)
    }

    /// The message about a book whose new folder is named differently from the requested collection.
    func remark(_ file: FoundFile, _ book: Book, _ newPath: ShelfPath) -> String? {
        guard edits.collectionMovesFile, let name = (book.collections ?? []).first(where: { !$0.isEmpty }),
            let folder = newPath.folder, folder != file.path.folder
        else { return nil }
        return ShelfScan.keptAs(name, folder)
    }

    /// The new path; nil if it does not change.
    private mutating func path(
        for file: FoundFile, title: String?, in folder: ShelfPath?
    ) throws(OverlayError) -> ShelfPath? {
        let name =
            title.map { BookName.file($0, fileExtension: file.path.writtenExtension) } ?? file.path.name
        guard folder != file.path.folder || name != file.path.name else { return nil }
        guard let plain = ShelfPath(folder, name) else { throw Self.tooLong(file) }
        // A file may keep its own name, for example if only case changes. iOS distinguishes case, so another file may
        // have that name.
        if taken.holder(of: plain) == file.path, !scan.holds(plain) {
            taken.take(plain)
            return plain
        }
        let ending = file.path.writtenExtension
        guard let free = taken.takeFree(title ?? file.path.stem, in: folder, fileExtension: ending) else {
            throw Self.tooLong(file)
        }
        return free
    }

    private static func tooLong(_ file: FoundFile) -> OverlayError {
        OverlayError(
            .invalidArgument, "Cannot find an unused name for the book.", subject: file.path.text,
            hint: "Choose a shorter title or collection.")
    }

    private func content(of file: FoundFile) throws(OverlayError) -> ContentFingerprint {
        guard let fingerprint = try scan.fingerprints(of: [file])[file.path] else {
            throw OverlayError(
                .deviceIO, "Cannot read the book.", subject: file.path.text, retryable: true)
        }
        return fingerprint
    }

    private mutating func move(_ file: FoundFile, to newPath: ShelfPath) throws(OverlayError) {
        do throws(OverlayError) {
            if let folder = newPath.folder, folder != file.path.folder {
                let new = newLevels(of: folder)
                if let link = new.first(where: { links.contains($0) }) { throw .linkedFolder(link) }
                scan.shelf.madeFolders.note(new)
                noted.formUnion(new)
                made.formUnion(new)
                try host.transport.makeFolder(place.root, place.path(folder))
            }
            try requireFree(newPath, for: file)
            try host.transport.rename(place.root, place.path(file.path), to: place.path(newPath))
        } catch {
            taken.release(newPath)
            taken.take(file.path)
            removeMade(newPath.folder)
            throw error
        }
        if BookName.key(newPath.text) != BookName.key(file.path.text) { taken.release(file.path) }
        moved[file.path] = newPath
    }

    /// Restores the old name of a file because the change as a whole failed.
    ///
    /// - Throws: if that fails too, the reason with the name that the file has now.
    private mutating func moveBack(
        _ file: FoundFile, from newPath: ShelfPath, because reason: OverlayError
    ) throws(OverlayError) {
        do throws(OverlayError) {
            try requireFree(
                file.path, for: FoundFile(path: newPath, size: file.size, modified: file.modified))
            try host.transport.rename(place.root, place.path(newPath), to: place.path(file.path))
        } catch {
            settle(file, newPath)
            var failure = reason
            failure.message += " However, the file was renamed: \(error.message)"
            throw failure
        }
        moved[file.path] = nil
        taken.release(newPath)
        taken.take(file.path)
        removeMade(newPath.folder)
    }

    /// The levels of a folder that did not exist before.
    private func newLevels(of folder: ShelfPath) -> [ShelfPath] {
        var new: [ShelfPath] = []
        var level: ShelfPath? = folder
        while let path = level, !folders.contains(path) {
            new.append(path)
            level = path.folder
        }
        return new
    }

    /// Removes a folder that was created for a failed move, and its parents, as far as they are new and empty.
    private mutating func removeMade(_ folder: ShelfPath?) {
        var level = folder
        while let path = level, made.contains(path) {
            do throws(OverlayError) {
                // Do not remove recursively, so that the folder stays if another book has been added to it.
                try host.transport.remove(place.root, place.path(path))
            } catch {
                guard error.status == .notFound else {
                    return host.log.info(
                        "books",
                        "Cannot remove the new folder '\(path)': "
                            + "\(error.message)")
                }
            }
            made.remove(path)
            level = path.folder
        }
    }

    /// Updates the records after a file has moved.
    private mutating func settle(_ file: FoundFile, _ newPath: ShelfPath?) {
        guard let newPath else { return }
        scan.cache.move(file.path, to: newPath)
        if let folder = file.path.folder, folder != newPath.folder { left.append(folder) }
    }

    /// Renaming replaces a file with the new name, so this checks once more that there is none, such as one added
    /// meanwhile.
    private func requireFree(_ path: ShelfPath, for file: FoundFile) throws(OverlayError) {
        guard BookName.key(path.text) != BookName.key(file.path.text) else { return }
        switch try host.transport.stat(place.root, [place.path(path)]).first {
        case .failure(let error)? where error.status == .notFound: return
        case .failure(let error)?: throw error
        default:
            throw OverlayError(
                .alreadyExists, "A file with this name has just been created.", subject: path.text,
                hint: "Try again.", retryable: true)
        }
    }
}
