import OverlayKit

/// The books of a device: what the lists name and what lies there.
struct Library {
    /// One book that is on the device.
    struct Item {
        /// Its path below `/Books`, which is its name in every call.
        let path: SafePath
        /// What the lists say; nil for a book that none names.
        var entry: BookEntry?
        let format: BookFormat
        /// The file, or the folder that it was unpacked into.
        let info: FileInfo
        /// The entries of the lists that are about it; none for a book that no list names.
        var sources: [Source] = []

        /// Whether the book is a folder.
        var isUnpacked: Bool { info.kind == .folder }
        /// Where it is in the media folder.
        var devicePath: String { Library.root + "/" + path.text }
    }

    /// Where an entry about a book stands.
    struct Source: Hashable {
        /// In which list.
        let list: BookList
        /// Its place there.
        let index: Int
        /// How its path begins: with the list's own folder, or with nothing, as in a list that was merged from several.
        let isInOwnFolder: Bool
    }

    /// The folder of everything.
    static let root = "/Books"

    /// The books that are there, those of the lists first, in their order.
    var items: [Item] = []
    /// A book that a list names and that is not on the device.
    struct Promised: Equatable {
        /// Its title, or else its path.
        let title: String
        let persistentID: String?
        /// Where it would be, below the folder of its list.
        var path: SafePath?
    }

    /// The books that the lists name and that are not on the device.
    var promised: [Promised] = []
    /// The lists that could not be read.
    var unreadable: [OverlayError] = []
    /// The lists as they were read, without those.
    var files: [BookListFile] = []
}

/// Finds out what is in a library: four small files and a listing of three folders.
struct LibraryReader {
    let host: HostServices

    /// The library. A list that is damaged is passed over; its books are found by their files.
    func library() throws(OverlayError) -> Library {
        var library = Library()
        for result in try lists() {
            do throws(OverlayError) {
                library.files.append(try result.get())
            } catch {
                guard error.status == .damaged else { throw error }
                library.unreadable.append(error)
            }
        }
        var folders: [String: FolderContent] = [:]
        for folder in Set(BookList.all.map(\.folder)) { folders[folder] = try content(folder) }

        var places: [SafePath: Int] = [:]
        var missing: [(entry: BookEntry, source: Library.Source)] = []
        for file in library.files {
            for (index, value) in file.entries.enumerated() {
                guard let entry = BookEntry(value) else { continue }
                guard let path = entry.path, let found = try find(path, of: file.list, folders) else {
                    let source = Library.Source(list: file.list, index: index, isInOwnFolder: true)
                    missing.append((entry, source))
                    continue
                }
                let source = Library.Source(
                    list: file.list, index: index,
                    isInOwnFolder: file.list.prefix + path.text == found.path.text)
                if let place = places[found.path] {
                    library.items[place].entry?.fill(from: entry)
                    library.items[place].sources.append(source)
                    continue
                }
                guard let format = BookFormat(found.path) else { continue }
                places[found.path] = library.items.count
                library.items.append(
                    Library.Item(
                        path: found.path, entry: entry, format: format, info: found.info, sources: [source]))
            }
        }
        for (entry, source) in missing { place(entry, source, in: &library) }
        addUnlisted(folders, to: &library, places)
        return library
    }

    /// An entry whose file is not there is about the one book that has its id, such as one that a synchronisation would put
    /// elsewhere; without such a book, or with several, it is a promise.
    private func place(_ entry: BookEntry, _ source: Library.Source, in library: inout Library) {
        if let id = entry.persistentID?.uppercased() {
            let own = library.items.indices.filter {
                library.items[$0].entry?.persistentID?.uppercased() == id
            }
            if own.count == 1 {
                library.items[own[0]].entry?.fill(from: entry)
                library.items[own[0]].sources.append(source)
                return
            }
        }
        let title = entry.title ?? entry.path?.text ?? entry.persistentID ?? "?"
        library.promised.append(
            .init(title: title, persistentID: entry.persistentID, path: entry.path))
    }

    /// All lists as they are now, in their order; a damaged one is a failure of its own.
    ///
    /// They are read at once, which takes no longer than reading one.
    private func lists() throws(OverlayError) -> [Result<BookListFile, OverlayError>] {
        let requests = BookList.all.map { ReadRequest($0.path) }
        var results: [Result<BookListFile, OverlayError>] = []
        for (list, answer) in zip(BookList.all, try host.transport.readMany(.media, requests)) {
            switch answer {
            case .success(let bytes) where UInt64(bytes.count) < ReadRequest.limit:
                let read = Result { () throws(OverlayError) in try BookListFile(list, bytes: bytes) }
                // It may have been written just then.
                if case .failure = read {
                    results.append(Result { () throws(OverlayError) in try file(list) })
                } else {
                    results.append(read)
                }
            case .failure(let error) where error.status == .notFound:
                results.append(Result { () throws(OverlayError) in try BookListFile(list, bytes: nil) })
            case .failure(let error): results.append(.failure(error))
            // Longer than one answer can be.
            case .success: results.append(Result { () throws(OverlayError) in try file(list) })
            }
        }
        return results
    }

    /// A list as it is now.
    func file(_ list: BookList) throws(OverlayError) -> BookListFile {
        let bytes: [UInt8]?
        do throws(OverlayError) {
            bytes = try host.transport.readAll(.media, list.path, limit: BookListFile.largest)
        } catch {
            guard error.status == .notFound else { throw error }
            bytes = nil
        }
        return try BookListFile(list, bytes: bytes)
    }

    /// What is in a folder of books, by name. Names that look alike but are spelt differently are kept apart.
    private struct FolderContent {
        var exact: [[UInt8]: FileInfo] = [:]
        var alike: [String: FileInfo] = [:]
    }

    private func content(_ folder: String) throws(OverlayError) -> FolderContent {
        var content = FolderContent()
        do throws(OverlayError) {
            for info in try host.transport.list(.media, folder, withInfo: true) {
                content.exact[Array(info.name.utf8)] = info
                // The file system may spell a name another way than the list does.
                content.alike[info.name] = content.alike[info.name] ?? info
            }
        } catch {
            guard error.status == .notFound else { throw error }
        }
        return content
    }

    /// Where a book of a list is. A list that was merged from others may name a purchase as if it lay beside the rest.
    private func find(
        _ path: SafePath, of list: BookList, _ folders: [String: FolderContent]
    ) throws(OverlayError) -> (path: SafePath, info: FileInfo)? {
        let others = BookList.all.map(\.folder).filter { $0 != list.folder }
        for folder in [list.folder] + others {
            let place = Self.prefix(folder)
            if path.text.contains("/") {
                guard folder == list.folder else { continue }
                guard let whole = SafePath(place + path.text) else { return nil }
                let answer = try host.transport.stat(.media, [Library.root + "/" + whole.text]).first
                guard case .success(let info)? = answer else { return nil }
                return (whole, info)
            }
            guard let content = folders[folder],
                let info = content.exact[Array(path.text.utf8)] ?? content.alike[path.text],
                let whole = SafePath(place + info.name)
            else { continue }
            return (whole, info)
        }
        return nil
    }

    private static func prefix(_ folder: String) -> String {
        BookList.all.first { $0.folder == folder }?.prefix ?? ""
    }

    private func addUnlisted(
        _ folders: [String: FolderContent], to library: inout Library, _ places: [SafePath: Int]
    ) {
        for folder in folders.keys.sorted() {
            let place = Self.prefix(folder)
            for info in (folders[folder]?.exact.values.map { $0 } ?? []).sorted(by: { $0.name < $1.name }) {
                guard !info.name.hasPrefix("."), info.kind == .folder || info.kind == .regular,
                    let path = SafePath(place + info.name), places[path] == nil,
                    let format = BookFormat(path)
                else { continue }
                library.items.append(Library.Item(path: path, entry: nil, format: format, info: info))
            }
        }
    }
}
