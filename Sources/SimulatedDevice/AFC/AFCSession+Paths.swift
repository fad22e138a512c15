import Platform
import DeviceWire
import Glibc

/// Requests on paths.
extension AFCSession {
    /// The deepest tree that REMOVE_PATH_AND_CONTENTS removes. Each level uses a file descriptor.
    private static let maximumTreeDepth = 256

    /// The names in a folder; answers 4 for a file.
    func names(in path: String) throws(AFCFailure) -> [[UInt8]] {
        let place = try locate(path, following: true)
        guard try place.status().isFolder else { throw AFCFailure(.readError) }
        let names = try FolderDescriptor(opening: place.name, in: place.folder.number).names()
        guard rules.names == .decomposed else { return names }
        return names.map { name in
            // A name that is not UTF-8 cannot be normalized, so it is listed unchanged.
            String(validating: name, as: UTF8.self).map { Array($0.decomposed.utf8) } ?? name
        }
    }

    /// The information about the object at a path. For a link, it describes the link itself.
    func information(about path: String) throws(AFCFailure) -> AFCFileInfo {
        let place = try locate(path, following: false)
        let status = try place.status()
        var information = AFCFileInfo(
            kind: status.kind, size: UInt64(clamping: status.st_size),
            blocks: UInt64(clamping: status.st_blocks),
            linkCount: UInt64(clamping: status.st_nlink), modified: status.modified, born: status.born)
        if status.isFolder {
            // As on the device's file system, the size depends on the number of entries. Hosts use it as a
            // fingerprint.
            let count = try FolderDescriptor(opening: place.name, in: place.folder.number).names().count
            information.size = 64 + 32 * UInt64(count)
            information.linkCount = UInt64(count) + 2
        }
        if let target = try status.isLink ? place.linkTarget() : nil {
            information.linkTarget = String(decoding: target, as: UTF8.self)
        }
        return information
    }

    /// Sets the length of a file by path.
    func truncate(_ path: String, to size: UInt64) throws(AFCFailure) {
        let place = try locate(path, following: true)
        let status = try place.status()
        if status.isFolder { throw AFCFailure(.objectIsDirectory) }
        guard status.isFile else { throw AFCFailure(.permissionDenied) }
        try resize(OpenFile(owning: try place.open(O_WRONLY), path: path, mode: .readWrite), to: size)
    }

    /// Removes a file, link or empty folder; answers 1 for a folder that is not empty.
    func remove(_ path: String) throws(AFCFailure) {
        try remove(try changeable(path))
    }

    /// Removes a path and everything below it. Links are removed, not followed.
    func removeTree(_ path: String) throws(AFCFailure) {
        let place = try changeable(path)
        if try place.status().isFolder { try empty(place, depth: 0) }
        try remove(place)
    }

    /// Creates a folder and its parents. An existing folder is accepted; any other object answers 16. If the rules
    /// refuse existing folders, an existing folder answers 10 and parents are not created.
    func makeFolder(_ path: String) throws(AFCFailure) {
        let refusesExisting = rules.refusesExistingFolders
        let place = try locate(path, following: true, makingFolders: !refusesExisting)
        guard let existing = try place.statusIfPresent() else {
            if place.isFixed { throw AFCFailure(.permissionDenied) }
            try AFCFailure.check { mkdirat(place.folder.number, place.name, 0o755) }
            return
        }
        guard existing.isFolder else { throw AFCFailure(.objectExists) }
        if refusesExisting { throw AFCFailure(.permissionDenied) }
    }

    /// Renames a path. Replaces a file or an empty folder that has the new name if the rules allow it.
    func rename(_ from: String, _ to: String) throws(AFCFailure) {
        let source = try changeable(from)
        let target = try changeable(to)
        let sourceStatus = try source.status()
        let replaced = try target.statusIfPresent()
        if let replaced, !replaced.isSame(as: sourceStatus) {
            if replaced.isFolder != sourceStatus.isFolder {
                throw AFCFailure(
                    replaced.isFolder
                        ? .objectIsDirectory : AFCStatus(rawValue: rules.folderOntoFileStatus))
            }
            guard rules.renameReplaces else { throw AFCFailure(.objectExists) }
        }
        try AFCFailure.check {
            renameat(source.folder.number, source.name, target.folder.number, target.name)
        }
        // If both names refer to the same file, rename(2) keeps both.
        if let replaced, !replaced.isSame(as: sourceStatus) {
            device.fileService.giveBack(replaced.bytesFreed, of: settings.freeBytes)
        }
    }

    /// Creates a hard or symbolic link. The target of a symbolic link need not exist, but must not be above the root.
    func makeLink(_ kind: UInt64, _ target: String, _ link: String) throws(AFCFailure) {
        guard let kind = AFCLinkKind(rawValue: kind) else { throw AFCFailure(.invalidArgument) }
        let place = try changeable(link)
        switch kind {
        case .symbolic:
            guard !root.escapes(target: target, from: link) else { throw AFCFailure(.permissionDenied) }
            try AFCFailure.check { symlinkat(target, place.folder.number, place.name) }
        case .hard:
            let original = try changeable(target)
            try AFCFailure.check {
                linkat(original.folder.number, original.name, place.folder.number, place.name, 0)
            }
        }
    }

    /// Sets the modification time and the access time of a path.
    func setModified(_ path: String, _ nanoseconds: UInt64) throws(AFCFailure) {
        let place = try locate(path, following: true)
        let time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        let times = [time, time]
        try AFCFailure.check { utimensat(place.folder.number, place.name, times, AT_SYMLINK_NOFOLLOW) }
    }

    /// The location of a path to create, move or remove. Refuses the root and the folders that lead to its subtree.
    private func changeable(_ path: String) throws(AFCFailure) -> ConfinedLocation {
        let place = try locate(path, following: false)
        guard !place.isFixed else { throw AFCFailure(.permissionDenied) }
        return place
    }

    private func remove(_ place: ConfinedLocation) throws(AFCFailure) {
        let status = try place.status()
        try AFCFailure.check { unlinkat(place.folder.number, place.name, status.isFolder ? AT_REMOVEDIR : 0) }
        device.fileService.giveBack(status.bytesFreed, of: settings.freeBytes)
    }

    private func empty(_ place: ConfinedLocation, depth: Int) throws(AFCFailure) {
        guard depth < Self.maximumTreeDepth else { throw AFCFailure(.noResources) }
        let folder = try FolderDescriptor(opening: place.name, in: place.folder.number)
        for name in try folder.names() {
            // A name that is not UTF-8 cannot be represented here. It is skipped, so the folder remains and answers
            // "not empty".
            guard let text = String(validating: name, as: UTF8.self) else { continue }
            let entry = ConfinedLocation(folder: folder, name: text, isFixed: false)
            if try entry.status().isFolder { try empty(entry, depth: depth + 1) }
            try remove(entry)
        }
    }
}
