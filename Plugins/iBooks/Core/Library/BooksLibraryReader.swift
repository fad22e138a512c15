import BookFolders
import FoundationEssentials
import OverlayKit

/// Reads a library: four small files and a listing of three folders.
struct BooksLibraryReader {
    /// How many books in folders of their own are asked about at once.
    private static let batch = 4_000

    let host: HostServices
    /// The time of day; tests replace it.
    var now: () -> Date = { Date() }

    /// Reads the library. A list or folder that cannot be read is skipped; the books of such a list are found by
    /// their files. So are those of a list that was there before and is missing now.
    ///
    /// Entries of several lists with the same persistent id are one book, even if they name several files, as after
    /// an interrupted replacement.
    func library() throws(OverlayError) -> BooksLibrary {
        var library = BooksLibrary()
        for (list, result) in zip(BooksPlist.all, try lists()) {
            switch result {
            case .success(let file): library.files.append(file)
            case .failure(let error): try library.pass(over: error, at: list.path)
            }
        }
        var folders: [String: FolderContent] = [:]
        for folder in Set(BooksPlist.all.map(\.folder)).sorted() {
            folders[folder] = try content(folder, &library)
        }
        let deep = try lookDeep(&library)

        var places: [SafePath: Int] = [:]
        var byID: [String: Int] = [:]
        var missing: [(entry: BookEntry, source: BooksLibrary.Source)] = []
        for file in library.files {
            for (index, value) in file.entries.enumerated() {
                guard let entry = BookEntry(value) else { continue }
                guard let path = entry.path, let found = find(path, of: file.list, folders, deep) else {
                    let source = BooksLibrary.Source(list: file.list, index: index, isInOwnFolder: true)
                    missing.append((entry, source))
                    continue
                }
                let source = BooksLibrary.Source(
                    list: file.list, index: index,
                    isInOwnFolder: file.list.prefix + path.text == found.path.text)
                if let place = places[found.path] {
                    library.items[place].entry?.fill(from: entry)
                    library.items[place].sources.append(source)
                    continue
                }
                guard let format = BookFormat(found.path) else { continue }
                let id = entry.persistentID?.uppercased()
                if let place = id.flatMap({ byID[$0] }),
                    Self.isSame(library.items[place], entry, at: found.path, in: file.list)
                {
                    library.items[place].entry?.fill(from: entry)
                    library.items[place].sources.append(source)
                    library.items[place].others.append(.init(path: found.path, info: found.info))
                    places[found.path] = place
                    continue
                }
                places[found.path] = library.items.count
                if let id { byID[id] = byID[id] ?? library.items.count }
                library.items.append(
                    BooksLibrary.Item(
                        path: found.path, entry: entry, format: format, info: found.info, sources: [source]))
            }
        }
        place(missing, in: &library)
        addUnlisted(folders, to: &library, places)
        var seen = SeenLists(host)
        library.miss(seen.missing(from: library, copied: Self.copied(folders), at: now()))
        return library
    }

    /// The lists with an older copy beside them.
    private static func copied(_ folders: [String: FolderContent]) -> Set<BooksPlist> {
        Set(
            BooksPlist.all.filter { list in
                folders[list.ownFolder]?.infos.contains { list.hasCopy(named: $0.name) } ?? false
            })
    }

    /// Whether an entry with the persistent id of a book is about that book although it names another file.
    ///
    /// An id may have been assigned twice. So the titles must be the same, or one of the files must be named as an
    /// upload names it; and a list names a book only once.
    private static func isSame(
        _ item: BooksLibrary.Item, _ entry: BookEntry, at path: SafePath, in list: BooksPlist
    ) -> Bool {
        guard !item.sources.contains(where: { $0.list == list }) else { return false }
        if let title = entry.title, item.entry?.title == title { return true }
        guard let id = entry.persistentID?.uppercased() else { return false }
        return [item.path, path].contains { $0.stem.uppercased().hasPrefix(id) }
    }

    /// Assigns an entry without a file to the only book with its id, such as one that a sync would store elsewhere.
    /// Without such a book, or with several, the entry is a promise.
    private func place(
        _ missing: [(entry: BookEntry, source: BooksLibrary.Source)], in library: inout BooksLibrary
    ) {
        guard !missing.isEmpty else { return }
        let byID = BooksByID(library.items)
        for (entry, source) in missing {
            if let own = byID.only(entry.persistentID) {
                library.items[own].entry?.fill(from: entry)
                library.items[own].sources.append(source)
                continue
            }
            let title = entry.title ?? entry.path?.text ?? entry.persistentID ?? "?"
            library.promised.append(
                .init(title: title, persistentID: entry.persistentID, path: entry.path))
        }
    }

    /// All lists in order; a list that cannot be read gives its error.
    ///
    /// They are read together, which takes no longer than reading one.
    private func lists() throws(OverlayError) -> [Result<BooksPlistFile, OverlayError>] {
        let requests = BooksPlist.all.map { ReadRequest($0.path) }
        var results: [Result<BooksPlistFile, OverlayError>] = []
        for (list, answer) in zip(BooksPlist.all, try host.transport.readMany(.media, requests)) {
            switch answer {
            case .success(let bytes) where UInt64(bytes.count) < ReadRequest.limit:
                let read = Result { () throws(OverlayError) in try BooksPlistFile(list, bytes: bytes) }
                // The file may have been written just then.
                if case .failure = read {
                    results.append(Result { () throws(OverlayError) in try file(list) })
                } else {
                    results.append(read)
                }
            case .failure(let error) where error.status == .notFound:
                results.append(Result { () throws(OverlayError) in try BooksPlistFile(list, bytes: nil) })
            case .failure(let error): results.append(.failure(error))
            // The file is longer than one answer can be.
            case .success: results.append(Result { () throws(OverlayError) in try file(list) })
            }
        }
        return results
    }

    /// A list in its present state.
    private func file(_ list: BooksPlist) throws(OverlayError) -> BooksPlistFile {
        let bytes: [UInt8]?
        do throws(OverlayError) {
            bytes = try host.transport.readAll(.media, list.path, limit: BooksPlistFile.largest)
        } catch {
            guard error.status == .notFound else { throw error }
            bytes = nil
        }
        return try BooksPlistFile(list, bytes: bytes)
    }

    /// The content of a folder of books. The file system may spell a name differently from a list.
    private struct FolderContent {
        var infos: [FileInfo] = []
        var byName = NameTable<FileInfo>()
    }

    /// - Throws: also problems with the folder that contains everything.
    private func content(
        _ folder: String, _ library: inout BooksLibrary
    ) throws(OverlayError) -> FolderContent {
        var content = FolderContent()
        do throws(OverlayError) {
            content.infos = try host.transport.list(.media, folder, withInfo: true)
            content.byName = NameTable(content.infos, by: \.name)
        } catch {
            if error.status == .notFound { return content }
            guard folder != BooksLibrary.root else { throw error }
            try library.pass(over: error, at: folder)
        }
        return content
    }

    /// The files that the lists name in folders that are not listed, all asked for at once.
    private func lookDeep(_ library: inout BooksLibrary) throws(OverlayError) -> [SafePath: FileInfo] {
        var wanted: Set<SafePath> = []
        for file in library.files {
            for value in file.entries {
                if let path = BookEntry(value)?.path, !path.isName,
                    let whole = SafePath(file.list.prefix + path.text)
                {
                    wanted.insert(whole)
                }
            }
        }
        let paths = Array(wanted)
        var found: [SafePath: FileInfo] = [:]
        for start in stride(from: 0, to: paths.count, by: Self.batch) {
            let batch = paths[start...].prefix(Self.batch)
            for (path, answer) in zip(batch, try host.transport.stat(.media, batch.map(BooksLibrary.path))) {
                switch answer {
                case .success(let info): found[path] = info
                case .failure(let error) where error.status == .notFound: continue
                case .failure(let error): try library.pass(over: error, at: BooksLibrary.path(path))
                }
            }
        }
        return found
    }

    /// The path of a listed book. A merged list may name a purchase as if it were in the main folder.
    private func find(
        _ path: SafePath, of list: BooksPlist, _ folders: [String: FolderContent],
        _ deep: [SafePath: FileInfo]
    ) -> (path: SafePath, info: FileInfo)? {
        guard path.isName else {
            guard let whole = SafePath(list.prefix + path.text), let info = deep[whole] else { return nil }
            // The folder's listing shows how the name is spelled there.
            guard let folder = whole.folder.map(BooksLibrary.path),
                let listed = folders[folder]?.byName[whole.name],
                let own = SafePath(Self.prefix(folder) + listed.name)
            else { return (whole, info) }
            return (own, listed)
        }
        let others = BooksPlist.all.map(\.folder).filter { $0 != list.folder }
        for folder in [list.folder] + others {
            guard let content = folders[folder],
                let info = content.byName[path.text],
                let whole = SafePath(Self.prefix(folder) + info.name)
            else { continue }
            return (whole, info)
        }
        return nil
    }

    private static func prefix(_ folder: String) -> String {
        BooksPlist.all.first { $0.folder == folder }?.prefix ?? ""
    }

    private func addUnlisted(
        _ folders: [String: FolderContent], to library: inout BooksLibrary, _ places: [SafePath: Int]
    ) {
        for folder in folders.keys.sorted() {
            let place = Self.prefix(folder)
            let infos = (folders[folder]?.infos ?? [])
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            for info in infos {
                guard info.name.utf8.first != UInt8(ascii: "."),
                    info.kind == .folder || info.kind == .regular,
                    let path = SafePath(place + info.name), places[path] == nil,
                    let format = BookFormat(path)
                else { continue }
                library.items.append(BooksLibrary.Item(path: path, entry: nil, format: format, info: info))
            }
        }
    }
}
