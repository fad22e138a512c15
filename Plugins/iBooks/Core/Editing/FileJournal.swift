import Diagnostics
import OverlayKit
import PropertyLists

/// The files that a command is about to send, or to remove after the lists have changed. They are recorded on the
/// host before it begins, so that the next command finishes interrupted work.
///
/// A note only ever affects files that no list names, and only while all lists exist that existed when it was made. A
/// file to be replaced is affected only once a list names its replacement. A host without storage has no notes; then
/// such files stay, are listed, and can be deleted. Use on the device thread, for one command that has claimed Books.
final class FileJournal {
    private static let key = "unfinished-2.plist"

    private let host: HostServices
    /// How many files of interrupted commands were removed.
    private var removed = 0
    /// The noted files, of an interrupted command and of this one.
    private(set) var files: [UnfinishedFile]

    /// Loads the notes; damaged notes count as none.
    init(_ host: HostServices) {
        self.host = host
        do {
            let bytes = try host.storage.read(.data, Self.key)
            let list = try bytes.map { try PropertyList(parsing: $0, limits: .file).array ?? [] } ?? []
            files = list.compactMap { UnfinishedFile($0) }
        } catch {
            host.log.debug("ibooks", "Cannot read which files were left unfinished: \(error)")
            files = []
        }
    }

    /// Notes further files.
    ///
    /// - Throws: errors of the storage, except that it is missing.
    func note(_ new: [UnfinishedFile]) throws(OverlayError) {
        let paths = Set(new.map(\.path))
        try keep(files.filter { !paths.contains($0.path) } + new)
    }

    /// Removes the notes of files that are listed or gone.
    func settle(_ paths: Set<SafePath>) throws(OverlayError) {
        try keep(files.filter { !paths.contains($0.path) })
    }

    private func keep(_ new: [UnfinishedFile]) throws(OverlayError) {
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

    private static func encoded(_ files: [UnfinishedFile]) throws(OverlayError) -> [UInt8] {
        do throws(PropertyListError) {
            return try PropertyList.array(files.map(\.propertyList)).encoded(.binary)
        } catch {
            throw OverlayError(.failed, "Cannot record which files are about to be sent: \(error.message)")
        }
    }

    /// Removes the files that an interrupted command left: noted files that no list contains and this command does
    /// not need.
    ///
    /// - Parameter needed: files that this command uses; their notes stay.
    func sweep(needed: Set<SafePath>) throws(OverlayError) {
        let noted = files.filter { !needed.contains($0.path) }
        guard !noted.isEmpty else { return }
        // The present lists count, not those from the beginning of the command.
        let library = try BooksLibraryReader(host: host).library()
        guard library.unreadable.isEmpty else { return }
        var items = library.itemsByPath()
        let unknown = try find(noted.map(\.path).filter { items[$0] == nil }, &items)
        let ids = library.persistentIDs()
        var settled: Set<SafePath> = []
        for file in noted where !unknown.contains(file.path) {
            if let item = items[file.path], item.sources.isEmpty {
                guard try finish(file, item, library, items, ids) else { continue }
            }
            settled.insert(file.path)
        }
        try settle(settled)
        guard removed > 0 else { return }
        host.log.warning(
            "ibooks",
            removed == 1
                ? "Removed a file left by an interrupted command."
                : "Removed \(removed) files left by an interrupted command.")
    }

    /// Checks for files that no list names, in folders that are not listed.
    ///
    /// - Returns: the files that may still be there.
    private func find(
        _ paths: [SafePath], _ items: inout [SafePath: BooksLibrary.Item]
    ) throws(OverlayError) -> Set<SafePath> {
        var unknown: Set<SafePath> = []
        guard !paths.isEmpty else { return unknown }
        for (path, answer) in zip(paths, try host.transport.stat(.media, paths.map(BooksLibrary.path))) {
            switch answer {
            case .success(let info):
                guard let format = BookFormat(path) else { continue }
                items[path] = BooksLibrary.Item(path: path, entry: nil, format: format, info: info)
            case .failure(let error) where error.status == .notFound: continue
            case .failure(let error):
                if error.endsTheCall { throw error }
                unknown.insert(path)
            }
        }
        return unknown
    }

    /// Finishes with a file that exists and that no list names.
    ///
    /// - Returns: whether the note has been handled completely.
    private func finish(
        _ file: UnfinishedFile, _ item: BooksLibrary.Item, _ library: BooksLibrary,
        _ items: [SafePath: BooksLibrary.Item],
        _ ids: Set<String>
    ) throws(OverlayError) -> Bool {
        if let missing = file.lists.subtracting(library.present).map(\.path).sorted().first {
            host.log.notice(
                "ibooks",
                "Not removing files left by an earlier command, because a list of books is missing.",
                ["file": file.path.text, "list": missing])
            return false
        }
        if case .replaced(let new) = file.kind, items[new]?.sources.isEmpty ?? true {
            host.log.notice(
                "ibooks", "Keeping the old copy of a book because its replacement was not added.",
                ["book": file.path.text])
            return true
        }
        return try remove(item, file, ids)
    }

    /// Removes a file that no list names, and its cover unless a list names a book with it.
    ///
    /// - Returns: whether the file is gone.
    private func remove(
        _ item: BooksLibrary.Item, _ file: UnfinishedFile, _ ids: Set<String>
    ) throws(OverlayError) -> Bool {
        do throws(OverlayError) {
            try removeIfThere(item.devicePath, recursive: item.isUnpacked)
            if let id = file.persistentID, !ids.contains(id.uppercased()) { try removeCover(id) }
            host.log.info(
                "ibooks", "Removed files left by an earlier command.", ["file": item.path.text])
            removed += 1
            return true
        } catch {
            if error.endsTheCall { throw error }
            host.log.warning(
                "ibooks", "Cannot remove files left by an earlier command: \(error.message)",
                ["file": item.path.text])
            return false
        }
    }

    /// Removes a cover, if it exists.
    func removeCover(_ persistentID: String) throws(OverlayError) {
        guard let path = ArtworkFolder.path(of: persistentID) else { return }
        try removeIfThere(path)
    }

    /// Removes a file or folder, if it exists.
    func removeIfThere(_ path: String, recursive: Bool = false) throws(OverlayError) {
        do throws(OverlayError) {
            try host.transport.remove(.media, path, recursive: recursive)
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }
}

/// A noted file: a command is about to send it, or to remove it after the lists have changed.
struct UnfinishedFile: Equatable {
    /// What should happen to the file.
    enum Kind: Equatable {
        /// It is sent, but does not count until a list names it.
        case new
        /// It is deleted.
        case deleted
        /// It is removed once another file has replaced it.
        case replaced(by: SafePath)
    }

    /// The path relative to `/Books`.
    let path: SafePath
    let kind: Kind
    /// The name of its cover; nil if it has none, or shares it with the book that replaces it.
    let persistentID: String?
    /// The lists that existed at that time. While one of them is missing, a file that no list names may still be
    /// listed.
    let lists: Set<BooksPlist>

    init(_ path: SafePath, _ kind: Kind, persistentID: String?, lists: Set<BooksPlist>) {
        (self.path, self.kind, self.persistentID, self.lists) = (path, kind, persistentID, lists)
    }

    /// Reads a note; nil if it is damaged.
    init?(_ value: PropertyList) {
        guard let path = value["path"]?.string.flatMap({ SafePath($0) }), BookFormat(path) != nil,
            let lists = value["lists"]?.array?.compactMap(\.string)
        else { return nil }
        switch value["kind"]?.string {
        case "new": kind = .new
        case "deleted": kind = .deleted
        case "replaced":
            guard let new = value["by"]?.string.flatMap({ SafePath($0) }) else { return nil }
            kind = .replaced(by: new)
        default: return nil
        }
        self.path = path
        persistentID = value["id"]?.string
        self.lists = Set(BooksPlist.all.filter { lists.contains($0.path) })
    }

    /// The note in its stored form.
    var propertyList: PropertyList {
        var values: [String: PropertyList] = [
            "path": .string(path.text),
            "lists": .array(BooksPlist.all.filter { lists.contains($0) }.map { .string($0.path) }),
        ]
        values["id"] = persistentID.map { .string($0) }
        switch kind {
        case .new: values["kind"] = "new"
        case .deleted: values["kind"] = "deleted"
        case .replaced(let new): (values["kind"], values["by"]) = ("replaced", .string(new.text))
        }
        return .dictionary(values)
    }
}
