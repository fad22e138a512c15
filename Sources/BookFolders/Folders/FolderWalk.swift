import Claims
import OverlayKit

/// Walks through a folder and all folders below it.
///
/// All folders of one depth are listed, and then one batch with overlapping round trips asks about everything in them. The
/// folders are listed in the order in which the host was told about them, so that it can read ahead; a tree costs a few round
/// trips for each level. Hidden names are skipped, except that partial files are recorded. Links are not followed.
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

    private let host: HostServices
    private let place: BookPlace
    private let limits: Limits
    private let ignored: Set<NameKey>

    /// - Parameters:
    ///   - host: the services of the running instance.
    ///   - place: the folder to walk through.
    ///   - ignoring: folders to skip: a path relative to the shared folder, or a single name, which matches at any
    ///     depth.
    ///   - limits: limits of the walk.
    public init(
        _ host: HostServices, _ place: BookPlace, ignoring: [String] = [], limits: Limits = Limits()
    ) {
        self.host = host
        self.place = place
        self.limits = limits
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
    }

    private struct Entry {
        var path: ShelfPath
        var package: ShelfPath?
    }

    /// The files of one package, as a walk finds them; nil if it does not exist or is not a package.
    func package(_ path: ShelfPath) throws(OverlayError) -> FoundFile? {
        var contents = FolderContents()
        let start = Pending(path: path, package: path)
        try walk([start], &contents, [path: Package(created: 0, modified: 0)])
        return contents.files.first { $0.path == path }
    }

    /// Performs the walk.
    ///
    /// A folder that disappears meanwhile or cannot be opened gives a remark; a shared folder that does not exist is
    /// empty.
    public func contents() throws(OverlayError) -> FolderContents {
        var contents = FolderContents()
        try walk([Pending()], &contents, [:])
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
                guard let names = try names(in: folder, &contents) else { continue }
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
        contents.files.sort { $0.path.text.utf8.lexicographicallyPrecedes($1.path.text.utf8) }
    }

    /// The names in a folder, except hidden ones; nil if it cannot be opened.
    private func names(
        in folder: Pending, _ contents: inout FolderContents
    ) throws(OverlayError) -> [String]? {
        do {
            let names = try host.transport.list(place.root, place.path(folder.path)).map(\.name)
            contents.partialFiles += names.filter { PartialFile.hasName($0) }
                .compactMap { ShelfPath(folder.path, $0) }
            return names.filter { $0.utf8.first != UInt8(ascii: ".") }
        } catch {
            guard [.notFound, .accessRefused].contains(error.status) else { throw error }
            guard let path = folder.path else {
                if error.status == .notFound { return [] }
                throw error
            }
            contents.remarks.append("Cannot open the folder '\(path)': \(error.message)")
            return nil
        }
    }

    /// Requests information about the entries, stores the files, and returns the folders.
    private func sort(
        _ entries: [Entry], _ contents: inout FolderContents, _ packages: inout [ShelfPath: Package]
    ) throws(OverlayError) -> [Pending] {
        var folders: [Pending] = []
        for start in stride(from: 0, to: entries.count, by: Self.batch) {
            let batch = entries[start...].prefix(Self.batch)
            let results = try host.transport.stat(place.root, batch.map { place.path($0.path) })
            for (entry, result) in zip(batch, results) {
                let info: FileInfo
                switch result {
                case .success(let found): info = found
                case .failure(let error):
                    if [.cancelled, .timedOut, .deviceGone].contains(error.status) { throw error }
                    if error.status != .notFound {
                        contents.remarks.append("Cannot access '\(entry.path)': \(error.message)")
                    }
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
                default: break
                }
            }
        }
        return folders
    }

    /// Records a folder, and returns the folders to list next; empty if it is ignored.
    private func folder(
        _ entry: Entry, _ info: FileInfo, _ contents: inout FolderContents,
        _ packages: inout [ShelfPath: Package]
    ) -> [Pending] {
        if entry.package != nil { return [Pending(path: entry.path, package: entry.package)] }
        if ignored.contains(BookName.key(entry.path.text)) || ignored.contains(BookName.key(entry.path.name))
        {
            return []
        }
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

/// The results of a walk.
public struct FolderContents: Sendable {
    /// The files and packages, sorted by path.
    public var files: [FoundFile] = []
    /// The folders, except those in packages.
    public var folders: [ShelfPath] = []
    /// Partial files, recognised by the host's naming: of a running or interrupted command.
    var partialFiles: [ShelfPath] = []
    /// What was left out and why, one sentence each.
    public var remarks: [String] = []

    /// Contents of an empty folder.
    public init() {}
}
