import Claims
import OverlayKit
import Platform

/// Walks through a folder and all folders below it.
///
/// All folders of one depth are listed, and then one batch with overlapping round trips asks about everything in them. The
/// folders are listed in the order in which the host was told about them, so that it can read ahead; a tree costs a few round
/// trips for each level. Hidden names are skipped, except that partial files are recorded. Links are not followed.
///
/// A walk never leaves out a book silently: it fails if a folder cannot be listed, and records each file that cannot be
/// examined.
public struct FolderWalk {
    /// Limits of a walk.
    public struct Limits: Hashable, Sendable {
        /// The most levels of folders.
        public var depth = 24
        /// The most files and folders in total.
        public var entries = 200_000

        /// The default limits.
        public init() {}
    }

    /// Extensions of folders that iOS treats as a single book.
    public static let packageExtensions: Set<String> = ["epub", "ibooks"]
    /// The names in an unpacked book, in lower case, of which one is required. A folder without them that only has
    /// such an extension contains books.
    private static let packageNames: Set<String> = ["meta-inf", "mimetype"]
    /// The most paths in one request for file information.
    private static let batch = 4_000
    /// The most entries that may be impossible to examine. If there are more, the device as a whole has failed.
    private static let mostUnexamined = 64

    private let host: HostServices
    private let place: BookPlace
    private let limits: Limits
    private let ignored: Set<NameKey>
    private let formats: BookFormats?
    /// Whether a walk fails if it cannot examine something.
    private var needsAll = false
    /// The names in the folder itself, if they were just listed.
    private var listed: [String]?

    /// - Parameters:
    ///   - host: the services of the running instance.
    ///   - place: the folder to walk through.
    ///   - ignoring: folders to skip: a path relative to the shared folder, or a single name, which matches at any
    ///     depth.
    ///   - formats: the extensions of books. If the device gives no information about an entry with another name, the
    ///     walk tries to list it as a folder; nil if it should not.
    ///   - limits: limits of the walk.
    public init(
        _ host: HostServices, _ place: BookPlace, ignoring: [String] = [], formats: BookFormats? = nil,
        limits: Limits = Limits()
    ) {
        self.host = host
        self.place = place
        self.limits = limits
        self.formats = formats
        ignored = Set(
            ignoring.map { path in
                let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
                return BookName.key(names.joined(separator: "/"))
            })
    }

    /// Whether a folder with these names in it, and an extension of packages, is a single book.
    static func isPackage(_ names: [String]) -> Bool {
        names.contains { packageNames.contains($0.lowercased()) }
    }

    /// A folder that is still to be listed, and the package that contains it.
    private struct Pending {
        var path: ShelfPath?
        var package: ShelfPath?
        /// Why it is not known whether this is a folder; nil if it is one.
        var doubt: OverlayError?
    }

    private struct Entry {
        var path: ShelfPath
        var package: ShelfPath?
    }

    /// All files of one package; nil if the folder is not a package.
    ///
    /// - Throws: the device's error if something in the package cannot be examined, `notFound` if there is no such folder,
    ///   and `verificationFailed` if something in it disappears meanwhile.
    func package(_ path: ShelfPath) throws(OverlayError) -> FoundFile? {
        var contents = FolderContents()
        let start = Pending(path: path, package: path)
        var walk = self
        walk.needsAll = true
        try walk.walk([start], &contents, [path: Package(created: 0, modified: 0)])
        if let remark = contents.remarks.first {
            throw OverlayError(.damaged, "Cannot read the whole book: \(remark)", subject: path.text)
        }
        return contents.files.first { $0.path == path }
    }

    /// The error about a package that changes while it is read.
    static func changed(_ package: ShelfPath) -> OverlayError {
        OverlayError(
            .verificationFailed, "The book changed while it was being read.", subject: package.text,
            hint: "Try again.", retryable: true)
    }

    /// Performs the walk.
    ///
    /// A file or folder that disappears meanwhile is left out; a shared folder that does not exist is empty.
    ///
    /// - Throws: the device's error about a folder that cannot be listed.
    public func contents() throws(OverlayError) -> FolderContents { try contents(listed: nil) }

    /// Performs the walk.
    ///
    /// - Parameter listed: the names in the folder itself if they were just listed; nil to list them.
    func contents(listed: [String]?) throws(OverlayError) -> FolderContents {
        var contents = FolderContents()
        var walk = self
        walk.listed = listed
        try walk.walk([Pending()], &contents, [:])
        return contents
    }

    private func walk(
        _ start: [Pending], _ contents: inout FolderContents, _ known: [ShelfPath: Package]
    ) throws(OverlayError) {
        var packages = known
        var level = start
        var count = 0
        for _ in 0...limits.depth where !level.isEmpty {
            var entries: [Entry] = []
            for (index, pending) in level.enumerated() {
                try host.cancellation.check()
                if level.count > 1 {
                    host.progress.report(index, of: level.count, phase: "Searching folders")
                }
                var folder = pending
                guard let names = try names(in: folder, &contents, &packages) else { continue }
                if let package = folder.package, package == folder.path, !Self.isPackage(names) {
                    packages[package] = nil
                    contents.folders.append(package)
                    folder.package = nil
                }
                for name in names {
                    guard let path = ShelfPath(folder.path, name) else {
                        contents.remarks.append("A path in '\(folder.path?.text ?? "/")' is too long.")
                        continue
                    }
                    entries.append(Entry(path: path, package: folder.package))
                }
            }
            if entries.count > limits.entries - count {
                if count < limits.entries {
                    contents.remarks.append(
                        "There are more than \(limits.entries) files. The rest were left out.")
                }
                entries.removeLast(entries.count - max(0, limits.entries - count))
            }
            count += entries.count
            level = try sort(entries, &contents, &packages)
        }
        if !level.isEmpty {
            contents.remarks.append("Folders nested deeper than \(limits.depth) levels were left out.")
        }
        contents.files += packages.map { $1.file($0) }
        contents.files = Self.sorted(contents.files)
    }

    /// The files as people sort their paths, and otherwise by bytes.
    private static func sorted(_ files: [FoundFile]) -> [FoundFile] {
        let keys = files.map { NaturalOrder.Key($0.path.text) }
        return files.indices.sorted { first, second in
            let order = keys[first].compare(keys[second])
            guard order == 0 else { return order < 0 }
            return files[first].path.text.utf8.lexicographicallyPrecedes(files[second].path.text.utf8)
        }.map { files[$0] }
    }

    /// The names in a folder, each once, except hidden ones; nil if it cannot be opened.
    private func names(
        in folder: Pending, _ contents: inout FolderContents, _ packages: inout [ShelfPath: Package]
    ) throws(OverlayError) -> [String]? {
        do throws(OverlayError) {
            var seen: Set<ExactText> = []
            var names: [String]
            if folder.path == nil, let listed {
                names = listed
            } else {
                names = try host.transport.list(place.root, place.path(folder.path)).map(\.name)
            }
            names = names.filter { seen.insert(ExactText($0)).inserted }
            if folder.doubt != nil, let path = folder.path { contents.folders.append(path) }
            contents.partialFiles += names.filter { PartialFile.hasName($0) }
                .compactMap { ShelfPath(folder.path, $0) }
            return names.filter { $0.utf8.first != UInt8(ascii: ".") }
        } catch {
            if error.endsTheCall { throw error }
            guard let path = folder.path else {
                if error.status == .notFound { return [] }
                throw Self.ofDevice(error, error.subject)
            }
            if let package = folder.package {
                try miss(package: package, path, error, &contents, &packages)
            } else if let doubt = folder.doubt,
                [.invalidArgument, .notFound].contains(error.status) || !path.fileExtension.isEmpty
            {
                try miss(path, doubt, &contents)
            } else if error.status == .notFound {
                contents.remarks.append("Cannot open the folder '\(path)': \(error.message)")
            } else {
                var failure = Self.ofDevice(error, path.text)
                failure.message = "The folder cannot be opened: " + error.message
                throw failure
            }
            return nil
        }
    }

    /// Requests information about the entries, stores the files, and returns the folders.
    private func sort(
        _ entries: [Entry], _ contents: inout FolderContents, _ packages: inout [ShelfPath: Package]
    ) throws(OverlayError) -> [Pending] {
        var folders: [Pending] = []
        for start in stride(from: 0, to: entries.count, by: Self.batch) {
            let batch = Array(entries[start...].prefix(Self.batch))
            for (entry, result) in zip(batch, try examine(batch)) {
                let info: FileInfo
                switch result {
                case .success(let found): info = found
                case .failure(let error):
                    folders += try unexamined(entry, error, &contents, &packages)
                    continue
                }
                switch info.kind {
                case .regular:
                    if let package = entry.package {
                        packages[package]?.add(entry.path, below: package, info)
                    } else {
                        contents.files.append(
                            FoundFile(
                                path: entry.path, size: info.size, modified: info.modified,
                                created: info.created))
                    }
                case .folder: folders += folder(entry, info, &contents, &packages)
                case .link where entry.package == nil: contents.links.append(entry.path)
                default: break
                }
            }
        }
        return folders
    }

    /// Information about entries. The device is asked once more about those for which it reports an error.
    private func examine(
        _ entries: [Entry]
    ) throws(OverlayError) -> [Result<FileInfo, OverlayError>] {
        var results = try host.transport.stat(place.root, entries.map { place.path($0.path) })
        var failed: [Int] = []
        for (index, result) in results.enumerated() {
            guard case .failure(let error) = result else { continue }
            if error.endsTheCall { throw error }
            if error.status != .notFound { failed.append(index) }
        }
        guard !failed.isEmpty else { return results }
        let again = try host.transport.stat(place.root, failed.map { place.path(entries[$0].path) })
        for (index, result) in zip(failed, again) {
            if case .failure(let error) = result, error.endsTheCall { throw error }
            results[index] = result
        }
        return results
    }

    /// Records an entry about which the device gives no information. Returns what to list, because it may be a folder.
    private func unexamined(
        _ entry: Entry, _ error: OverlayError, _ contents: inout FolderContents,
        _ packages: inout [ShelfPath: Package]
    ) throws(OverlayError) -> [Pending] {
        if let package = entry.package {
            try miss(package: package, entry.path, error, &contents, &packages)
            return []
        }
        guard error.status != .notFound, !isIgnored(entry.path) else { return [] }
        let ending = entry.path.fileExtension
        if let formats, !formats.contains(ending), !Self.packageExtensions.contains(ending) {
            return [Pending(path: entry.path, doubt: error)]
        }
        try miss(entry.path, error, &contents)
        return []
    }

    /// Records an entry that cannot be examined.
    private func miss(
        _ path: ShelfPath, _ error: OverlayError, _ contents: inout FolderContents
    ) throws(OverlayError) {
        let failure = Self.ofDevice(error, path.text)
        guard contents.unexamined.count < Self.mostUnexamined else { throw failure }
        contents.remarks.append("Cannot access '\(path)': \(error.message)")
        contents.unexamined.append(UnexaminedEntry(path: path, error: failure))
    }

    /// Handles something in a package that cannot be examined: without it, the package as a whole is unknown.
    private func miss(
        package: ShelfPath, _ path: ShelfPath, _ error: OverlayError, _ contents: inout FolderContents,
        _ packages: inout [ShelfPath: Package]
    ) throws(OverlayError) {
        let isGone = error.status == .notFound
        if needsAll {
            if isGone { throw path == package ? error : Self.changed(package) }
            throw Self.ofDevice(error, path.text)
        }
        if isGone {
            if path == package { packages[package] = nil }
            return
        }
        guard packages.removeValue(forKey: package) != nil else { return }
        try miss(package, error, &contents)
    }

    /// An error about something that the device lists: never one that means that the request was wrong, because what
    /// is at a path may change at any time.
    private static func ofDevice(_ error: OverlayError, _ subject: String?) -> OverlayError {
        var error = error
        error.subject = subject
        if error.status == .invalidArgument {
            (error.status, error.retryable) = (.deviceIO, true)
            error.hint = error.hint ?? "Try again."
        }
        return error
    }

    private func isIgnored(_ path: ShelfPath) -> Bool {
        ignored.contains(BookName.key(path.text)) || ignored.contains(BookName.key(path.name))
    }

    /// Records a folder, and returns the folders to list next; empty if it is ignored.
    private func folder(
        _ entry: Entry, _ info: FileInfo, _ contents: inout FolderContents,
        _ packages: inout [ShelfPath: Package]
    ) -> [Pending] {
        if entry.package != nil { return [Pending(path: entry.path, package: entry.package)] }
        if isIgnored(entry.path) { return [] }
        if Self.packageExtensions.contains(entry.path.fileExtension) {
            packages[entry.path] = Package(created: info.created, modified: info.modified)
            return [Pending(path: entry.path, package: entry.path)]
        }
        contents.folders.append(entry.path)
        return [Pending(path: entry.path)]
    }

    /// A package whose parts are still being collected.
    private struct Package {
        var created: Int64
        var modified: Int64
        var size: UInt64 = 0
        var parts: [FoundFile.Part] = []

        mutating func add(_ path: ShelfPath, below package: ShelfPath, _ info: FileInfo) {
            let inner = String(decoding: path.text.utf8.dropFirst(package.text.utf8.count + 1), as: UTF8.self)
            parts.append(FoundFile.Part(path: inner, size: info.size))
            size = size.addingReportingOverflow(info.size).partialValue
            modified = max(modified, info.modified)
        }

        func file(_ path: ShelfPath) -> FoundFile {
            FoundFile(
                path: path, size: size, modified: modified, created: created,
                parts: parts.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) })
        }
    }
}

/// Something that the device lists, but about which it gives no information.
struct UnexaminedEntry: Hashable, Sendable {
    var path: ShelfPath
    /// The device's error.
    var error: OverlayError
}

/// The results of a walk.
public struct FolderContents: Sendable {
    /// The files and packages, sorted by path as people sort names.
    public var files: [FoundFile] = []
    /// The folders, except those in packages.
    public var folders: [ShelfPath] = []
    /// Partial files, recognised by the host's naming: of a running or interrupted command.
    var partialFiles: [ShelfPath] = []
    /// What cannot be examined; a package counts as a whole. They are not among the files.
    var unexamined: [UnexaminedEntry] = []
    /// Symbolic links, except those in packages.
    var links: [ShelfPath] = []
    /// Names of unknown kinds, in folders that were listed without a walk.
    var names: [ShelfPath] = []
    /// What was left out and why, one sentence each.
    public var remarks: [String] = []

    /// Contents of an empty folder.
    public init() {}
}
