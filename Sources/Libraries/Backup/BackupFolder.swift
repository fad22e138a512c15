import Glibc
import HostErrors
import Platform

/// The backup of one app on one device: a folder that contains a manifest and a folder for each book.
///
/// Each file is written completely or not at all. A marker file exists while a run works. If a run is interrupted,
/// the next one finds its results by the metadata files of the books. Only the holder of the lock may write.
package struct BackupFolder: Sendable {
    /// The name of the manifest.
    package static let manifestName = "manifest.json"
    private static let mark = ".unfinished"
    /// The prefix of temporary files, which also include fetched books.
    private static let temporary = ".overlayhost-"
    /// The largest manifest, and the largest metadata of a book, that are read, in bytes.
    private static let (largest, largestMetadata) = (2 << 30, 64 << 20)

    /// The path of the folder.
    package let path: String
    /// Files whose content differed from their checksum, relative to the folder.
    private var damaged: Set<ExactText> = []

    package init(_ path: String) { self.path = path }

    // MARK: names

    /// The folder in `parent` for a name and an id. An existing folder with this id is used even if the name before
    /// the id differs.
    ///
    /// - Throws: `inputUnreadable` if `parent` exists and cannot be read.
    package static func named(
        _ name: String, id: String, in parent: String
    ) throws(HostError) -> String {
        let mark = " (\(plain(id)))"
        let known = try names(parent).filter { $0.hasSuffix(mark) }.sorted { ExactText($0) < ExactText($1) }
            .first
        return parent + "/" + (known ?? (name.isEmpty ? "Unknown" : name) + mark)
    }

    /// The form of an id that is used in a file name.
    private static func plain(_ id: String) -> String {
        String(
            id.unicodeScalars.prefix(120).map { scalar in
                let isPlain =
                    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                return isPlain || "-._".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
            })
    }

    /// Finds the backups in a folder, which may be that of all devices, of one device, or of one app. As in a backup,
    /// the folder of a device or an app may be a link.
    ///
    /// - Throws: `inputUnreadable` if `parent`, or a folder or link whose name has an id like that of a backup, cannot
    ///   be read. Other folders that cannot be read, such as `lost+found`, are skipped.
    package static func all(in parent: String) throws(HostError) -> [BackupFolder] {
        var found: [BackupFolder] = []
        var level = [parent]
        for _ in 0...2 {
            var next: [String] = []
            for folder in level {
                if isBackup(folder) {
                    found.append(BackupFolder(folder))
                } else {
                    do throws(HostError) {
                        next += try foldersOrLinks(folder).map { folder + "/" + $0 }
                    } catch {
                        if folder == parent || folder.hasSuffix(")") { throw error }
                    }
                }
            }
            level = next
        }
        return found
    }

    /// Whether a folder is the backup of an app. This includes a backup that lost its manifest.
    private static func isBackup(_ folder: String) -> Bool {
        [manifestName, mark, ".lock"].contains { kind(folder + "/" + $0)?.kind == S_IFREG }
    }

    /// The folder of the whole backup if `folder` is that of one of its devices or apps; nil for any other folder.
    package static func wholeBackup(containing folder: String) -> String? {
        guard let resolved = realpath(folder.isEmpty ? "." : folder, nil) else { return nil }
        defer { free(resolved) }
        let folder = String(cString: resolved)
        guard let parent = folder.pathFolder.map({ String($0) }) else { return nil }
        if isOfApp(folder) { return parent.hasSuffix(")") ? parent.pathFolder.map { String($0) } : parent }
        guard folder.hasSuffix(")") else { return nil }
        var isDevice = false
        _ = FolderListing.each(folder) { entry in
            isDevice = entry.name.map { isOfApp(folder + "/" + $0) } ?? false
            return !isDevice
        }
        return isDevice ? parent : nil
    }

    /// Whether a folder has the manifest of an app whose id is in its name.
    private static func isOfApp(_ folder: String) -> Bool {
        guard folder.hasSuffix(")"), let file = FileDescriptor(opening: folder + "/" + manifestName) else {
            return false
        }
        var head = [UInt8](repeating: 0, count: 4096)
        let count = head.withUnsafeMutableBytes { readFully(file.number, into: $0) } ?? 0
        let text = String(decoding: head.prefix(count), as: UTF8.self)
        guard let mark = text.firstRange(of: "\"app\": \"") else { return false }
        return folder.hasSuffix(" (\(plain(String(text[mark.upperBound...].prefix { $0 != "\"" }))))")
    }

    // MARK: reading

    /// Whether the backup folder exists.
    package var exists: Bool { Self.kind(path) != nil }

    /// Whether files can be created in the folder now.
    package var isWritable: Bool { access(path, W_OK | X_OK) == 0 }

    /// The content of a backup.
    package enum Content {
        /// The backup is empty.
        case empty
        /// The content of the manifest.
        case manifest(BackupManifest)
        /// The entries found in the metadata files of the books, because the manifest is lost, damaged or out of
        /// date.
        case found([BackupEntry], manifest: BackupManifest?)
    }

    /// Reads the manifest, or searches for the books. Does not change anything.
    package func content(isCancelled: () -> Bool = { false }) throws(HostError) -> Content {
        let isUnfinished = Self.kind(path + "/" + Self.mark) != nil
        let manifest = BackupManifest {
            SmallFile.lines(path + "/" + Self.manifestName, most: off_t(Self.largest), $0)
        }
        if let manifest, !isUnfinished { return .manifest(manifest) }
        let entries = try search(isCancelled)
        if entries.isEmpty, manifest == nil { return .empty }
        return .found(entries, manifest: manifest)
    }

    /// The manifest to continue with. If the manifest was lost or out of date, it is rebuilt from the books, and is
    /// not on disk yet.
    package func manifest(
        like blank: BackupManifest, isCancelled: () -> Bool = { false }
    ) throws(HostError) -> (BackupManifest, isWritten: Bool) {
        switch try content(isCancelled: isCancelled) {
        case .empty: return (blank, false)
        case .manifest(let manifest): return (manifest, true)
        case .found(let entries, let former):
            var manifest = former ?? blank
            let found = Set(entries.map { ExactText($0.folder) })
            let gone = Dictionary(
                (former?.entries ?? []).compactMap { entry in
                    entry.goneSince.map { (ExactText(entry.folder), $0) }
                },
                uniquingKeysWith: { first, _ in first })
            // Keep an entry whose metadata file is missing; its missing files are copied again.
            manifest.entries = (former?.entries ?? []).filter { !found.contains(ExactText($0.folder)) }
            manifest.entries += entries.map { entry in
                var entry = entry
                entry.goneSince = gone[ExactText(entry.folder)] ?? entry.goneSince
                return entry
            }
            return (manifest, false)
        }
    }

    /// Finds the entries that are stored in the metadata files of the books.
    private func search(_ isCancelled: () -> Bool) throws(HostError) -> [BackupEntry] {
        var entries: [BackupEntry] = []
        for author in try Self.folders(path).sorted() {
            for title in try Self.folders(path + "/" + author).sorted() {
                if isCancelled() { throw HostError(.cancelled, "The command was cancelled.") }
                let folder = author + "/" + title
                let file = "\(path)/\(folder)/metadata.opf"
                guard let bytes = Self.read(file, largest: Self.largestMetadata),
                    var entry = MetadataPackage.entry(in: bytes),
                    let digest = Digest.of(bytes, .sha256)
                else { continue }
                // The user may have moved the folder.
                entry.folder = folder
                entry[.metadata] = BackupFile(
                    .metadata, name: "metadata.opf", size: UInt64(bytes.count), digest: Hex.text(digest))
                entries.append(entry)
            }
        }
        return entries
    }

    /// Compares the files of entries with their checksums. Damaged files no longer count as complete.
    ///
    /// - Parameters:
    ///   - entries: the entries of the manifest.
    ///   - progress: called with the number of entries that have been read.
    /// - Throws: `cancelled`.
    package mutating func findDamage(
        in entries: [BackupEntry], isCancelled: () -> Bool = { false }, progress: (Int) -> Void = { _ in }
    ) throws(HostError) {
        for (place, entry) in entries.enumerated() {
            progress(place)
            for file in entry.files {
                let name = "\(entry.folder)/\(file.name)"
                let problem = BackupVerification.problem(file, "\(path)/\(name)", isCancelled)
                if isCancelled() { throw HostError(.cancelled, "The command was cancelled.") }
                if problem != nil { damaged.insert(ExactText(name)) }
            }
        }
    }

    /// Whether a file of an entry exists with its recorded size, and is not known to be damaged.
    package func isWhole(_ entry: BackupEntry, _ role: BackupFile.Role) -> Bool {
        entry[role].map { isWhole(entry, $0) } ?? false
    }

    /// Whether a file exists with its recorded size, and is not known to be damaged.
    package func isWhole(_ entry: BackupEntry, _ file: BackupFile) -> Bool {
        guard !damaged.contains(ExactText("\(entry.folder)/\(file.name)")) else { return false }
        guard let found = Self.kind("\(path)/\(entry.folder)/\(file.name)") else { return false }
        return found.kind == S_IFREG && found.size == file.size
    }

    /// Whether a folder is empty or does not exist. A folder that cannot be read counts as not empty.
    package func isFree(_ folder: String) -> Bool {
        guard let found = Self.kind(path + "/" + folder) else { return true }
        return found.kind == S_IFDIR && FolderListing.names(path + "/" + folder) == []
    }

    // MARK: writing

    /// Creates the folder and waits until no other program works in it.
    package func lock(waiting: () -> Void, isCancelled: () -> Bool) throws(HostError) -> FolderLock {
        try Self.make(path)
        return try FolderLock.take(path, waiting: waiting, isCancelled: isCancelled, Self.unwritable)
    }

    /// Creates the folder, and takes the lock if no other program has it.
    package func lockIfFree() throws(HostError) -> FolderLock? {
        try Self.make(path)
        return FolderLock.takeIfFree(path)
    }

    /// Removes incomplete files of an interrupted run. Call this before the new run creates files.
    ///
    /// - Throws: `inputUnreadable` if a folder cannot be read.
    package func removeLeftovers() throws(HostError) {
        for name in try Self.names(path) where name.hasPrefix(Self.temporary) {
            let leftover = path + "/" + name
            if Self.kind(leftover)?.kind == S_IFDIR {
                for file in try Self.names(leftover) { unlink(leftover + "/" + file) }
                rmdir(leftover)
            } else {
                unlink(leftover)
            }
        }
    }

    /// Records that a run has begun.
    package func begin() throws(HostError) { try write([], to: path + "/" + Self.mark) }

    /// Writes the manifest. If `isWhole` is true, also records that the run has finished.
    package func finish(_ manifest: BackupManifest, isWhole: Bool = true) throws(HostError) {
        try write(to: path + "/" + Self.manifestName, survivesPowerCut: true) { manifest.write(to: $0) }
        // Keep the marker, so that the next run searches for books that are missing in the manifest.
        guard isWhole else { return }
        guard unlink(path + "/" + Self.mark) == 0 || errno == ENOENT else {
            throw Self.unwritable(path + "/" + Self.mark, errno)
        }
    }

    /// Writes a small file of a book, and replaces a file with the same name.
    package func write(
        _ bytes: [UInt8], _ role: BackupFile.Role, name: String, in folder: String
    ) throws(HostError) -> BackupFile {
        let place = "\(path)/\(folder)/\(name)"
        try write(bytes, to: place)
        return BackupFile(
            role, name: name, size: UInt64(bytes.count), digest: try Self.digest(of: bytes, place))
    }

    /// Writes a small file of a book in place of the former one with its role, or under a name that no other file has.
    ///
    /// - Parameters:
    ///   - name: the wanted name; a number is added if another file has it.
    ///   - entry: the entry of the book, with the former file.
    package func write(
        _ bytes: [UInt8], _ role: BackupFile.Role, name: String, for entry: BackupEntry
    ) throws(HostError) -> BackupFile {
        let digest = try Self.digest(of: bytes, "\(path)/\(entry.folder)/\(name)")
        let file = BackupFile(role, name: name, size: UInt64(bytes.count), digest: digest)
        let (stem, ending) = (name.nameStem, name.nameEnding)
        let free =
            if let former = entry[role], former.name.nameEnding == ending {
                former.name
            } else {
                unusedName(for: file, former: entry[role], among: entry.files, in: entry.folder) {
                    $0 == 1 ? name : "\(stem) (\($0)).\(ending)"
                }
            }
        return try write(bytes, role, name: free, in: entry.folder)
    }

    /// The first name under which a file of a book replaces nothing but its former version: neither another file of
    /// the book, nor a file that the backup did not write. A file with the same content was left by an interrupted
    /// run.
    ///
    /// - Parameters:
    ///   - file: the new file; its name does not matter.
    ///   - former: its former version; nil if there is none.
    ///   - files: the files of the book in the backup.
    ///   - candidate: the names by their numbers from 1, all of them different.
    package func unusedName(
        for file: BackupFile, former: BackupFile?, among files: [BackupFile], in folder: String,
        _ candidate: (Int) -> String
    ) -> String {
        let taken = Set(files.filter { $0 != former }.map { $0.name.lowercased() })
        var number = 0
        while true {
            number += 1
            let name = candidate(number)
            guard !taken.contains(name.lowercased()) else { continue }
            if let former, ExactText(former.name) == ExactText(name) { return name }
            let place = "\(path)/\(folder)/\(name)"
            if Self.kind(place) == nil || BackupVerification.problem(file, place, { false }) == nil {
                return name
            }
        }
    }

    /// Stores an entry in the metadata file of its book. The file is written only if it changes. Returns its
    /// description; nil if the file is missing or another program changed it, and it therefore stays as it is.
    package func store(_ entry: BackupEntry) throws(HostError) -> BackupFile? {
        guard let file = entry[.metadata],
            let bytes = Self.read("\(path)/\(entry.folder)/\(file.name)", largest: Self.largestMetadata),
            Digest.of(bytes, .sha256).map({ Hex.text($0) }) == file.digest.lowercased()
        else { return nil }
        var stored = entry
        // The metadata file cannot contain its own checksum.
        stored[.metadata] = nil
        guard let text = MetadataPackage.replacingEntry(in: bytes, with: stored) else { return nil }
        guard text != bytes else { return file }
        return try write(text, .metadata, name: file.name, in: entry.folder)
    }

    /// Keeps a file of a book under another name too, as earlier highlights, also if it was changed since it was
    /// written. Returns the copy; nil if the file is missing. An interrupted run may have made the copy already.
    ///
    /// - Throws: `inputUnreadable` if the file is there and cannot be read.
    package func keep(
        _ file: BackupFile, as name: String, in folder: String
    ) throws(HostError) -> BackupFile? {
        var copy = file
        (copy.role, copy.name) = (.earlierHighlights, name)
        func isWhole(_ file: BackupFile) -> Bool {
            BackupVerification.problem(file, "\(path)/\(folder)/\(file.name)", { false }) == nil
        }
        if isWhole(copy) { return copy }
        let place = "\(path)/\(folder)/\(file.name)"
        guard let bytes = Self.read(place, largest: Self.largestMetadata) else {
            if access(place, F_OK) != 0, errno == ENOENT { return nil }
            throw HostError(
                .inputUnreadable, "Earlier highlights cannot be read, so newer ones do not take their place.",
                subject: place, hint: "Move the file elsewhere, and back up again.")
        }
        return try write(bytes, .earlierHighlights, name: name, in: folder)
    }

    /// Removes a file that a book no longer has.
    package func remove(_ file: BackupFile, in folder: String) { unlink("\(path)/\(folder)/\(file.name)") }

    /// Moves a copied file into the folder of a book, and replaces a file with the same name.
    package func place(_ file: String, as name: String, in folder: String) throws(HostError) {
        let place = "\(path)/\(folder)/\(name)"
        let problem = try Self.move(file, to: place)
        if problem != 0 { throw Self.unwritable(place, problem) }
    }

    private func write(_ bytes: [UInt8], to place: String) throws(HostError) {
        try write(to: place, survivesPowerCut: false) { writeAll(bytes, to: $0) }
    }

    /// Writes a file in a temporary place, and then moves it to its final place.
    private func write(
        to place: String, survivesPowerCut: Bool, _ fill: (Int32) -> Int32
    ) throws(HostError) {
        // The user's other programs read the file, so it gets the default mode.
        guard let file = TemporaryFile(beginning: "\(path)/\(Self.temporary)", mode: 0o666) else {
            throw Self.unwritable(place, errno)
        }
        var problem = fill(file.descriptor)
        if problem == 0 {
            // The books must be on disk before a manifest that lists them.
            if survivesPowerCut { problem = synchronizeFileSystem(of: file.descriptor) }
            if problem == 0 { problem = file.move(to: place, survivesPowerCut: survivesPowerCut) }
        }
        if problem == ENOENT, access(file.path, F_OK) == 0, let folder = place.pathFolder, !folder.isEmpty {
            try Self.make(String(folder))
            problem = file.move(to: place, survivesPowerCut: false)
        }
        if problem != 0 { throw Self.unwritable(place, problem) }
    }

    /// Moves a file to its place, and creates the folder if necessary. Returns errno, or 0.
    ///
    /// - Throws: an error if the folder cannot be created.
    private static func move(_ file: String, to place: String) throws(HostError) -> Int32 {
        if rename(file, place) == 0 { return 0 }
        let problem = errno
        // Make sure that only the folder is missing, not the file.
        guard problem == ENOENT, access(file, F_OK) == 0, let folder = place.pathFolder, !folder.isEmpty
        else { return problem }
        try make(String(folder))
        return rename(file, place) == 0 ? 0 : errno
    }

    /// Creates a folder and its parents.
    package static func make(_ folder: String) throws(HostError) {
        let code = makeFolders(folder, mode: 0o777)
        guard code == 0 else { throw unwritable(folder, code) }
    }

    package static func unwritable(_ path: String, _ code: Int32) -> HostError {
        guard code != EISDIR else {
            return HostError(
                .outputNotCreated, "A folder is in the place of a file of the backup: \(path).",
                subject: path,
                hint: "Move the folder away, then run the same command again.", native: .posix(code))
        }
        return HostError(
            code == ENOSPC || code == EDQUOT ? .noSpace : .outputNotCreated,
            "Cannot write the backup: \(systemText(code)).",
            subject: path, native: .posix(code))
    }

    private static func digest(of bytes: [UInt8], _ path: String) throws(HostError) -> String {
        guard let digest = Digest.of(bytes, .sha256) else {
            throw HostError(.failed, "Cannot compute the checksum of the file.", subject: path)
        }
        return Hex.text(digest)
    }

    // MARK: files

    /// The type and size of a file, without following a link; nil if it does not exist.
    private static func kind(_ path: String) -> (kind: mode_t, size: UInt64)? {
        var status = Glibc.stat()
        guard lstat(path, &status) == 0 else { return nil }
        return (status.st_mode & S_IFMT, UInt64(clamping: status.st_size))
    }

    private static func folders(_ folder: String) throws(HostError) -> [String] {
        try names(folder).filter { !$0.hasPrefix(".") && kind(folder + "/" + $0)?.kind == S_IFDIR }
    }

    /// The folders in a folder, and the links to folders whose name has an id like that of a backup.
    ///
    /// - Throws: `inputUnreadable` if the folder cannot be read, or if such a link leads nowhere.
    private static func foldersOrLinks(_ folder: String) throws(HostError) -> [String] {
        var found: [String] = []
        for name in try names(folder) where !name.hasPrefix(".") {
            let place = folder + "/" + name
            var type = Self.kind(place)?.kind
            if type == S_IFLNK, name.hasSuffix(")") {
                var status = Glibc.stat()
                guard stat(place, &status) == 0 else {
                    let code = errno
                    throw HostError(
                        .inputUnreadable, "Cannot follow this link in the backup: \(systemText(code)).",
                        subject: place, native: .posix(code))
                }
                type = status.st_mode & S_IFMT
            }
            if type == S_IFDIR { found.append(name) }
        }
        return found
    }

    /// All names in a folder; none if there is no folder. Not limited, because a library may have any number of authors.
    private static func names(_ folder: String) throws(HostError) -> [String] {
        var names: [String] = []
        let code = FolderListing.each(folder) { entry in
            if let name = entry.name { names.append(name) }
            return true
        }
        guard [0, ENOENT, ENOTDIR].contains(code) else {
            throw HostError(
                .inputUnreadable, "Cannot read this folder of the backup: \(systemText(code)).",
                subject: folder, native: .posix(code))
        }
        return names
    }

    private static func read(_ path: String, largest: Int) -> [UInt8]? {
        SmallFile.bytes(path, most: off_t(largest))
    }
}
