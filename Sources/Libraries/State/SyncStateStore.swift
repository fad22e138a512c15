import Glibc
import HostErrors
import Platform

/// The states of all sources of one app on one device, in their own folder.
///
/// Files are replaced atomically. While its ``FolderLock`` is held, no other program writes here.
package struct SyncStateStore: Sendable {
    /// The largest file that is read, in bytes. A larger file counts as lost.
    private static let largest = 512 << 20

    private let folder: String
    private let device: String
    private let app: String

    /// - Parameter parent: `$XDG_STATE_HOME/overlayhost`.
    package init(parent: String, device: String, app: String) {
        folder = "\(parent)/sync/\(Self.name(device))/\(Self.name(app))"
        (self.device, self.app) = (device, app)
    }

    /// The name of a device or an app as the name of a folder.
    private static func name(_ text: String) -> String {
        let safe = text.unicodeScalars.prefix(100).map { scalar in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain || scalar == "-" || scalar == "." ? Character(scalar) : "_"
        }
        let name = String(safe)
        return name.isEmpty || name.hasPrefix(".") ? "_" + name : name
    }

    private func file(of source: String) -> String {
        "\(folder)/\(Hex.text(FNV1a.of(source.utf8))).json"
    }

    // MARK: locking

    /// Waits until no other program uses this app on this device, and takes the lock.
    ///
    /// - Parameter waiting: called once if the call has to wait.
    /// - Throws: `outputNotCreated`, `cancelled`.
    package func lock(waiting: () -> Void, isCancelled: () -> Bool) throws(HostError) -> FolderLock {
        try makeFolder(folder)
        return try FolderLock.take(folder, waiting: waiting, isCancelled: isCancelled, unwritable)
    }

    // MARK: reading

    /// Loads the state of a source. Returns an empty state if it is lost or damaged.
    package func load(_ source: String) -> SyncState {
        let ends = SyncState.Ends(device: device, app: app, source: source)
        return SyncState(Self.lines(of: file(of: source)), device: device, app: app, source: source)
            ?? SyncState(ends)
    }

    /// The path of the file with the state of a source if it exists but cannot be used, so that `load` returns an
    /// empty state; nil otherwise.
    package func damagedFile(of source: String) -> String? {
        let path = file(of: source)
        var status = stat()
        guard lstat(path, &status) == 0,
            SyncState(Self.lines(of: path), device: device, app: app, source: source) == nil
        else { return nil }
        return path
    }

    /// The state of a source that was moved to a place that has no state yet: another state whose folder is gone, and
    /// of whose files more than half are here, unchanged. Copies of files do not count, because they have other
    /// inodes.
    ///
    /// - Returns: nil if there is none, or more than one.
    package func moved(to place: SourcePlace) -> SyncState? {
        var found: [SyncState] = []
        _ = eachOther(than: [place.path]) { other in
            if other.kind == place.kind, Self.isGone(other.ends.source), other.isOfFiles(in: place.path) {
                found.append(other)
            }
        }
        guard found.count == 1, let other = found.first else { return nil }
        var state = SyncState(SyncState.Ends(device: device, app: app, source: place.path))
        (state.kind, state.records, state.former) = (other.kind, other.records, other.ends.source)
        state.isMoved = true
        return state
    }

    /// Whether no run can read a source any more, because its path leads nowhere, or elsewhere by a symbolic link.
    private static func isGone(_ source: String) -> Bool {
        guard let resolved = realpath(source, nil) else { return errno == ENOENT || errno == ENOTDIR }
        defer { free(resolved) }
        return !String(cString: resolved).utf8.elementsEqual(source.utf8)
    }

    /// The paths on the device of books from other sources than that of a state.
    ///
    /// - Throws: `inputUnreadable` if the states cannot be listed, because books of other sources could be deleted.
    package func paths(ofOthersThan state: SyncState) throws(HostError) -> Set<ExactText> {
        var paths: Set<ExactText> = []
        let code = eachOther(than: [state.ends.source] + [state.former].compactMap { $0 }) { other in
            for record in other.records.values {
                if let path = record.path { paths.insert(ExactText(path)) }
            }
        }
        guard code == 0 || code == ENOENT else {
            throw HostError(
                .inputUnreadable, "Cannot list the saved states of sync: \(systemText(code)).",
                subject: folder,
                native: .posix(code))
        }
        return paths
    }

    /// Calls `body` with the states of all other sources. States that cannot be read count as lost, as in `load`.
    ///
    /// - Returns: 0, or the errno of the failure, which may come after some states.
    private func eachOther(than sources: [String], _ body: (SyncState) -> Void) -> Int32 {
        let own = Set(sources.map { ExactText(file(of: $0)) })
        return FolderListing.each(folder) { entry in
            guard let name = entry.name, name.hasSuffix(".json"), !name.hasPrefix(".") else { return true }
            let path = folder + "/" + name
            if !own.contains(ExactText(path)),
                let other = SyncState(Self.lines(of: path), device: device, app: app)
            {
                body(other)
            }
            return true
        }
    }

    private static func lines(of path: String) -> BookLines.Lines {
        { SmallFile.lines(path, most: off_t(largest), $0) }
    }

    // MARK: writing

    /// Replaces the state of a source. Call this while holding the lock.
    package func save(_ state: SyncState) throws(HostError) {
        try makeFolder(folder)
        let path = file(of: state.ends.source)
        guard let file = TemporaryFile(beginning: folder + "/.state") else { throw unwritable(path, errno) }
        var problem: Int32 = 0
        var pending: [UInt8] = []
        state.write { text in
            pending.append(contentsOf: text.utf8)
            guard pending.count >= 1 << 20 else { return }
            if problem == 0 { problem = writeAll(pending, to: file.descriptor) }
            pending.removeAll(keepingCapacity: true)
        }
        if problem == 0 { problem = writeAll(pending, to: file.descriptor) }
        if problem == 0 { problem = file.move(to: path, survivesPowerCut: true) }
        guard problem == 0 else { throw unwritable(path, problem) }
        // If the former file stays, its books count as those of another source, and are never removed.
        if let former = state.former { _ = unlink(self.file(of: former)) }
    }

    private func makeFolder(_ path: String) throws(HostError) {
        let code = makeFolders(path, mode: 0o700)
        guard code == 0 else { throw unwritable(path, code) }
    }

    private func unwritable(_ path: String, _ code: Int32) -> HostError {
        HostError(
            code == ENOSPC ? .noSpace : .outputNotCreated,
            "Cannot write what was agreed with this source: \(systemText(code)).", subject: path,
            native: .posix(code))
    }
}

extension SyncState {
    /// Whether more than half of the books are unchanged files in a folder, at the same places in it.
    fileprivate func isOfFiles(in folder: String) -> Bool {
        let unchanged = records.values.count { record in
            guard let stamp = SourceStamp(path: folder + "/" + record.item)?.text else { return false }
            // The stamps of other files that were read for the book follow.
            return record.stamp == stamp || record.stamp.hasPrefix(stamp + " ")
        }
        return unchanged > records.count / 2
    }
}
