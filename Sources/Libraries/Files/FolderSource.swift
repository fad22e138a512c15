import BookModel
import Glibc
import HostErrors
import Platform

/// Lists the books in a folder and its subfolders.
///
/// Skips symbolic links, so that the search cannot leave the folder or loop, and names that begin with a dot. Does
/// not open files.
package struct FolderSource {
    /// The extensions of books for an app that does not specify any.
    package static let usualFormats = FileFormat.extensions([.book])
    /// Additional extensions of books. A file with one of these is reported as a book even if the app does not
    /// support it. Text files, web pages and `rb` are not included, because they may be anything, and neither are the
    /// tracks of audiobooks.
    private static let bookFormats = Set(
        FileFormat.extensions([.book, .foreign]) + ["chm", "djv"]
    )
    .subtracting(["rb"])
    /// The largest number of names in all folders together.
    private static let most = 2_000_000
    /// The largest depth of nested folders.
    private static let deepest = 100

    private let root: String
    private let formats: Set<String>
    private let namesUnreadable: Bool
    private let isCancelled: () -> Bool
    private var count = 0
    private var listing = SourceListing(entries: [], present: [])

    private init(
        _ root: String, _ formats: [String], _ namesUnreadable: Bool, _ isCancelled: @escaping () -> Bool
    ) {
        (self.root, self.namesUnreadable) = (root, namesUnreadable)
        self.formats = Set(formats.isEmpty ? Self.usualFormats : formats.map { $0.lowercased() })
        self.isCancelled = isCancelled
    }

    /// Lists the books in a folder and its subfolders, in the order of their paths.
    ///
    /// - Parameters:
    ///   - formats: the extensions of books, in lower case; empty for the usual ones.
    ///   - namesUnreadable: whether an unreadable subfolder of `root` becomes an entry with a problem.
    /// - Throws: `inputUnreadable` if a folder cannot be read, because its books may still exist. `cancelled`.
    package static func list(
        _ root: String, formats: [String], namesUnreadable: Bool = false,
        isCancelled: @escaping () -> Bool = { false }
    ) throws(HostError) -> SourceListing {
        var source = FolderSource(root, formats, namesUnreadable, isCancelled)
        var open = [("", 0)]
        while let (folder, depth) = open.popLast() {
            for name in try source.names(folder) { open.append((folder + name + "/", depth + 1)) }
            guard depth <= deepest else {
                throw source.unreadable(folder, ELOOP)
            }
        }
        source.sortEntries()
        source.listing.unsupported.sort { ExactText($0.item) < ExactText($1.item) }
        return source.listing
    }

    /// Sorts the books by their paths. Moving indexes is faster than moving entries.
    private mutating func sortEntries() {
        let paths = listing.entries.map { ExactText($0.item) }
        let order = paths.indices.sorted { paths[$0] < paths[$1] }
        listing.entries = order.map { listing.entries[$0] }
    }

    /// A file in a folder.
    private struct File {
        var name: String
        /// The extension in lower case.
        var ending: String
        var stamp: SourceStamp
    }

    /// Adds the books of one folder, and returns the names of its subfolders. An unreadable folder may become an
    /// entry with a problem.
    private mutating func names(_ folder: String) throws(HostError) -> [String] {
        do throws(HostError) { return try walk(folder) } catch {
            guard namesUnreadable, !folder.isEmpty, error.code == .inputUnreadable else { throw error }
            let item = String(folder.dropLast())
            listing.entries.append(
                SourceEntry(key: item, item: item, in: root, problem: error))
            return []
        }
    }

    /// Adds the books of one folder, and returns the names of its subfolders.
    private mutating func walk(_ folder: String) throws(HostError) -> [String] {
        if isCancelled() { throw HostError(.cancelled, "The command was cancelled.") }
        let path = folder.isEmpty ? root : root + "/" + folder
        let flags = O_RDONLY | O_DIRECTORY | (folder.isEmpty ? 0 : O_NOFOLLOW)
        guard let descriptor = FileDescriptor(opening: path, flags) else { throw unreadable(folder, errno) }
        let number = descriptor.number
        // A name appears twice if the file was replaced during the listing.
        var files: [ExactText: File] = [:]
        var folders: [String] = []
        let code = try FolderListing.each(in: number) { entry throws(HostError) in
            count += 1
            guard count <= Self.most else {
                throw HostError(
                    .inputUnreadable, "The source has more than \(Self.most) files.", subject: root)
            }
            guard entry.bytes.first != UInt8(ascii: ".") else { return true }
            guard let name = entry.name else {
                refuse(entry, in: number, folder)
                return true
            }
            var status = stat()
            guard fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                // The file was removed between the two calls.
                if errno == ENOENT { return true }
                throw unreadable(folder + name, errno)
            }
            let ending = Self.ending(of: name)
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                // A folder with the extension of a book is an unpacked book.
                if !formats.contains(ending) { folders.append(name) }
            case S_IFREG:
                files[ExactText(name)] = File(name: name, ending: ending, stamp: SourceStamp(status))
            case S_IFLNK: listing.links.insert(ExactText(String(exactly: folder, name)))
            default: break
            }
            return true
        }
        guard code == 0 else { throw unreadable(folder, code) }
        take(Array(files.values), in: folder)
        return folders
    }

    private mutating func take(_ files: [File], in folder: String) {
        var sidecars: [ExactText: SourceStamp] = [:]
        for file in files where file.ending == "opf" { sidecars[ExactText(file.name)] = file.stamp }
        for file in files where formats.contains(file.ending) {
            let item = String(exactly: folder, file.name)
            var text = file.stamp.text
            let names = sidecars.isEmpty ? [] : [file.name.nameStem + ".opf", "metadata.opf"]
            for name in names {
                guard let mark = sidecars[ExactText(name)] else { continue }
                text += name == "metadata.opf" ? " shared \(mark.text)" : " own \(mark.text)"
                break
            }
            listing.present.insert(ExactText(item))
            listing.entries.append(
                SourceEntry(key: item, item: item, in: root, size: file.stamp.size, stamp: text))
        }
        takeUnsupported(files, in: folder)
    }

    /// Adds the books of one folder that have no supported format. Files with the same name and different extensions
    /// are one book.
    private mutating func takeUnsupported(_ files: [File], in folder: String) {
        let formats = formats
        let others = files.filter { Self.bookFormats.contains($0.ending) && !formats.contains($0.ending) }
            .sorted { ExactText($0.name) < ExactText($1.name) }
        guard !others.isEmpty else { return }
        func stem(_ file: File) -> ExactText { ExactText(String(file.name.nameStem)) }
        let accepted = Set(files.filter { formats.contains($0.ending) }.map(stem))
        var places: [ExactText: Int] = [:]
        for file in others where !accepted.contains(stem(file)) {
            if let place = places[stem(file)] {
                listing.unsupported[place].formats.append(file.ending)
            } else {
                places[stem(file)] = listing.unsupported.count
                listing.unsupported.append(
                    UnsupportedBook(item: folder + file.name, formats: [file.ending]))
            }
        }
    }

    /// Adds a problem for a book or a folder whose name is not valid UTF-8, instead of stopping.
    private mutating func refuse(_ entry: FolderListing.Entry, in descriptor: Int32, _ folder: String) {
        let name = String(decoding: entry.bytes, as: UTF8.self)
        let kind = (entry.bytes + [0]).withUnsafeBytes { bytes in
            var status = stat()
            let path = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            let isThere = path.map { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) } == 0
            return isThere ? status.st_mode & S_IFMT : 0
        }
        let word: String
        switch kind {
        case S_IFDIR where !formats.contains(Self.ending(of: name)): word = "folder"
        case S_IFREG where formats.contains(Self.ending(of: name)): word = "file"
        default: return
        }
        let item = folder + name
        listing.unnamed = listing.unnamed ?? item
        listing.entries.append(
            SourceEntry(
                key: item, item: item, in: root,
                problem: HostError(
                    .inputUnreadable, "The name of the \(word) is not valid UTF-8.", subject: item,
                    hint: "Rename the \(word).")))
    }

    /// The extension in lower case, without the dot; empty if there is none.
    private static func ending(of name: String) -> String {
        name.nameEnding.lowercased()
    }

    private func unreadable(_ place: String, _ code: Int32) -> HostError {
        HostError(
            .inputUnreadable, "Cannot read this part of the folder: \(systemText(code)).",
            subject: place.isEmpty ? root : root + "/" + place, native: .posix(code))
    }
}
