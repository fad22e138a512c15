import Diagnostics
import Glibc
import HostErrors
import Platform
import Preferences
import Synchronization

/// Searches the plugins folders and loads the overlays in them.
///
/// ```swift
/// let paths = HostPaths.current()
/// let discovery = OverlayDiscovery(
///     paths: paths, isolation: .worker(WorkerOptions(program: paths.workerProgram)))
/// let catalog = discovery.discover()
/// for overlay in catalog.overlays { print(overlay.descriptor.id, overlay.file) }
/// for problem in catalog.problems { print(problem) }
/// ```
public struct OverlayDiscovery: Sendable {
    /// The folders, in order of precedence.
    public let folders: [PluginFolder]
    private let paths: HostPaths
    private let runner: any OverlayRunner
    /// The number of overlays in a search that may keep the worker which described them. Each worker uses several
    /// file descriptors.
    static let mostWaiting = 8

    /// Creates a search of the `--plugins` folders, `$OVERLAYHOST_PLUGINS`, the preference `plugin_directories`, the
    /// user's folder, the installed folder and, during development, the build folder. `runner` determines where the
    /// overlays run.
    package init(
        options: [String] = [], preferences: [String] = [], paths: HostPaths, runner: any OverlayRunner
    ) {
        self.paths = paths
        self.runner = runner
        var folders = options.map { PluginFolder(path: $0, origin: .option) }
        folders += paths.environmentPlugins.map { PluginFolder(path: $0, origin: .environment) }
        folders += preferences.map { PluginFolder(path: paths.expandingHome($0), origin: .preference) }
        folders.append(PluginFolder(path: paths.data + "/plugins", origin: .user))
        if let folder = paths.executable?.pathFolder.map({ String($0) }) {
            let parent = folder.pathFolder ?? ""
            folders.append(PluginFolder(path: parent + "/lib/overlayhost/plugins", origin: .installed))
            if Self.isBuildFolder(folder) { folders.append(PluginFolder(path: folder, origin: .build)) }
        }
        self.folders = folders
    }

    /// The time for which an overlay may continue after its method was cancelled; nil if it cannot be ended, because
    /// it runs in this process.
    package var longestAfterCancel: Duration? { runner.longestAfterCancel }

    /// Whether the overlays run in workers.
    package var runsInWorkers: Bool { runner.longestAfterCancel != nil }

    /// Examines every file in the folders and loads each valid overlay, several at the same time if they run
    /// separately. Blocks for file operations, and runs the constructors of the libraries. Any thread.
    ///
    /// Folders and files that are reached twice through symbolic links count once. If two overlays have the same id,
    /// the first is used. The files of a folder are sorted by name.
    public func discover() -> OverlayCatalog {
        var catalog = OverlayCatalog()
        let files = files(&catalog.problems)
        let loader = OverlayLoader(paths: paths, runner: runner)
        var owners: [String: String] = [:]
        var anyAppOwner: String?
        // Load as many overlays at the same time as may keep their workers: those in the first files.
        for start in stride(from: 0, to: files.count, by: Self.mostWaiting) {
            let some = Array(files[start...].prefix(Self.mostWaiting))
            let loaded = Mutex<[Int: Result<LoadedOverlay, OverlayRefusal>]>([:])
            let load: @Sendable (Int) -> Void = { number in
                let result = Result { () throws(OverlayRefusal) in
                    try Self.checkFolder(some[number].folder)
                    return try loader.load(some[number].file)
                }
                if start > 0, case .success(let overlay) = result { overlay.endSpareWorker() }
                loaded.withLock { $0[number] = result }
            }
            // Load further overlays one by one, so that a folder with hundreds of files does not overload the machine
            // or exceed the time limits.
            if start == 0 { runner.each(some.count, load) } else { some.indices.forEach(load) }
            for (number, candidate) in some.enumerated() {
                guard let result = loaded.withLock({ $0[number] }) else { continue }
                catalog.found.append(
                    judged(result, candidate.file, candidate.folder, &owners, &anyAppOwner))
            }
        }
        return catalog
    }

    /// The files to load in order of precedence. Adds errors of folders to `problems`.
    private func files(_ problems: inout [HostError]) -> [(file: String, folder: PluginFolder)] {
        var files: [(file: String, folder: PluginFolder)] = []
        var seen: Set<FileID> = []
        for folder in folders {
            let names: [String]
            do throws(HostError) {
                guard let found = try list(folder, &seen) else { continue }
                names = found
                // Otherwise an overlay of another folder would take the place of the missing one without a word.
                if names.isEmpty, folder.origin == .option {
                    throw HostError(
                        .configuration, "This folder contains no overlays.", subject: folder.path,
                        hint: "The names of overlays end in .so. Build yours, or name another folder.")
                }
            } catch {
                problems.append(error)
                continue
            }
            for name in names {
                let file = folder.path + (folder.path.endsInSlash ? "" : "/") + name
                var status = stat()
                if stat(file, &status) == 0 {
                    if status.st_mode & S_IFMT == S_IFDIR || !seen.insert(FileID(status)).inserted {
                        continue
                    }
                }
                files.append((file, folder))
            }
        }
        return files
    }

    /// Loads the overlay in `file`, which may be in any folder; for `development_overlay`. Throws `overlayRefused`
    /// and `cancelled`.
    public func load(_ file: String) throws(HostError) -> LoadedOverlay {
        do {
            return try OverlayLoader(paths: paths, runner: runner).load(paths.expandingHome(file))
        } catch {
            if error.code == .cancelled {
                throw HostError(.cancelled, "The command was cancelled.", underlying: error)
            }
            throw HostError(.overlayRefused, error).about(file)
        }
    }

    // MARK: files

    /// The entry of a file, considering those before it.
    private func judged(
        _ result: Result<LoadedOverlay, OverlayRefusal>, _ file: String, _ folder: PluginFolder,
        _ owners: inout [String: String], _ anyAppOwner: inout String?
    ) -> DiscoveredOverlay {
        do {
            let overlay = try result.get()
            let id = overlay.descriptor.id
            if let owner = owners[id] {
                let refusal = OverlayRefusal(
                    .idTaken, "Its id \(id) is already used by \(owner).",
                    hint:
                        "Remove one of the two files, or put the one you want in a folder that is "
                        + "searched earlier."
                )
                overlay.endSpareWorker()
                return DiscoveredOverlay(
                    file: file, folder: folder, state: .refused(refusal), descriptor: overlay.descriptor)
            }
            if overlay.descriptor.traits.contains(.anyFileSharingApp) {
                if let owner = anyAppOwner {
                    let refusal = OverlayRefusal(
                        .anyAppTaken,
                        "It serves every app that has no overlay of its own, and \(owner) already does that.",
                        hint:
                            "Remove one of the two files, or put the one you want in a folder that is "
                            + "searched earlier."
                    )
                    overlay.endSpareWorker()
                    return DiscoveredOverlay(
                        file: file, folder: folder, state: .refused(refusal), descriptor: overlay.descriptor)
                }
                anyAppOwner = file
            }
            owners[id] = file
            return DiscoveredOverlay(
                file: file, folder: folder, state: .ready(overlay), descriptor: overlay.descriptor)
        } catch {
            return DiscoveredOverlay(file: file, folder: folder, state: .refused(error), descriptor: nil)
        }
    }

    /// Checks the folder at its given path, which may be a symbolic link to the one that `OverlayLoader` checks.
    private static func checkFolder(_ folder: PluginFolder) throws(OverlayRefusal) {
        var status = stat()
        guard stat(folder.path, &status) == 0 else {
            throw OverlayRefusal(
                .unreadable, "The folder \(folder.path) cannot be accessed: \(systemText(errno)).")
        }
        if let problem = FileTrust.problem(status) {
            throw FileTrust.refusal("The folder \(folder.path)", problem)
        }
    }

    // MARK: folders

    private struct FileID: Hashable {
        let device: dev_t
        let inode: ino_t

        init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
        }
    }

    /// The names of the files to examine; nil for a standard folder that does not exist, and for a folder that was
    /// already searched.
    private func list(_ folder: PluginFolder, _ seen: inout Set<FileID>) throws(HostError) -> [String]? {
        guard folder.path.isAbsolutePath || folder.origin == .option else {
            throw HostError(
                .configuration, "Not searching this plugins folder because its path is not absolute.",
                subject: folder.path)
        }
        var status = stat()
        guard stat(folder.path, &status) == 0, let names = FolderListing.names(folder.path) else {
            let code = errno
            if code == ENOENT, !folder.isExplicit { return nil }
            throw HostError(
                folder.origin == .option ? .inputUnreadable : .configuration,
                "Cannot search the plugins folder: \(systemText(code)).", subject: folder.path,
                native: .posix(code))
        }
        guard seen.insert(FileID(status)).inserted else { return nil }
        return names.filter { name in
            if folder.origin == .build { return name.hasPrefix("lib") && name.hasSuffix("Overlay.so") }
            return !name.hasPrefix(".") && Self.isNamedLikeALibrary(name)
        }
    }

    /// Whether a name has the form `x.so` or `x.so.1`. Other files in a plugins folder, such as a README, are not
    /// reported as refused overlays.
    private static func isNamedLikeALibrary(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let ending = parts.lastIndex(of: "so"), ending > 0 else { return false }
        return parts[(ending + 1)...].allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
    }

    /// Whether a folder is a build folder, in which SwiftPM creates `description.json`.
    private static func isBuildFolder(_ folder: String) -> Bool {
        folder.pathNames.contains(".build") || access(folder + "/description.json", F_OK) == 0
    }
}
