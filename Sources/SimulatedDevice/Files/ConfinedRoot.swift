import DeviceWire
import Glibc

/// A folder of the host that is the root of a device's file system. No path and no link leads out of it.
///
/// Paths are resolved one component at a time from the open root folder, without following links. A link is read and
/// its target is resolved in its place; an absolute target starts at the root. `..` returns to the folder from which
/// the path came, and stops at the root. The path resolution of the host therefore never sees more than one plain
/// name.
package final class ConfinedRoot: Sendable {
    /// The largest depth of a path in folders. Each uses a descriptor while the path is resolved.
    package static let maximumDepth = 128
    /// The largest number of links on one path.
    package static let maximumLinks = 32

    private let top: FolderDescriptor
    private let subtree: [String]

    /// Opens `folder`, a path of the host. Only `subtree`, a path below the root, can then be reached, by its path
    /// from the root. All other paths answer `permissionDenied`.
    ///
    /// Throws if the folder cannot be opened. The folder stays open for the lifetime of the root.
    package init(folder: String, subtree: String = "/") throws(AFCFailure) {
        top = try FolderDescriptor(opening: folder, in: AT_FDCWD, following: true)
        self.subtree = Self.components(subtree).filter { $0 != ".." }
    }

    /// Finds the location of a path.
    ///
    /// With `following`, a link at the end is followed too, to the location of its target, which need not exist. With
    /// `makingFolders`, missing folders on the path are created. `names` determines how a name matches an entry and
    /// which name a new entry gets. Locations down to `fixedLevels` below the root are fixed. Throws `objectNotFound`
    /// if a folder on the path is missing or is not a folder, `permissionDenied` outside the subtree, and
    /// `invalidArgument` for a path that is too deep, a name that is too long, or too many links.
    func locate(
        _ path: String, following: Bool, makingFolders: Bool = false, names: FileRules.Names = .exact,
        fixedLevels: Int = 0
    ) throws(AFCFailure) -> ConfinedLocation {
        let fixedLevels = max(fixedLevels, subtree.count)
        guard !path.utf8.contains(0) else { throw AFCFailure(.invalidArgument) }
        var pending = Array(Self.components(path).reversed())
        var walked: [(folder: FolderDescriptor, name: String)] = []
        var links = 0
        while let name = pending.popLast() {
            if name == ".." {
                _ = walked.popLast()
                continue
            }
            guard walked.count < Self.maximumDepth else { throw AFCFailure(.invalidArgument) }
            guard walked.count >= subtree.count || subtree[walked.count].utf8.elementsEqual(name.utf8) else {
                throw AFCFailure(.permissionDenied)
            }
            let folder = walked.last?.folder ?? top
            let here = ConfinedLocation(
                folder: folder, name: try folder.entry(for: name, names), isFixed: walked.count < fixedLevels)
            let target: [UInt8]?
            if pending.isEmpty {
                target = following ? try here.linkTarget() : nil
                if target == nil { return try permitted(here, depth: walked.count + 1) }
            } else {
                if let folder = try enter(here, making: makingFolders) {
                    walked.append((folder, here.name))
                    continue
                }
                target = try here.linkTarget()
            }
            guard let target, let text = String(validating: target, as: UTF8.self) else {
                throw AFCFailure(.objectNotFound)
            }
            links += 1
            guard links <= Self.maximumLinks else { throw AFCFailure(.invalidArgument) }
            if text.utf8.first == UInt8(ascii: "/") { walked.removeAll() }
            pending.append(contentsOf: Self.components(text).reversed())
        }
        let depth = walked.count
        guard let last = walked.popLast() else {
            return try permitted(ConfinedLocation(folder: top, name: ".", isFixed: true), depth: 0)
        }
        let location = ConfinedLocation(
            folder: walked.last?.folder ?? top, name: last.name, isFixed: depth <= fixedLevels)
        return try permitted(location, depth: depth)
    }

    /// Whether a link at `path` with this target would point above the root when resolved by its components.
    func escapes(target: String, from path: String) -> Bool {
        var depth = 0
        if target.utf8.first != UInt8(ascii: "/") {
            for name in Self.components(path).dropLast() { depth = max(0, depth + (name == ".." ? -1 : 1)) }
        }
        for name in Self.components(target) {
            depth += name == ".." ? -1 : 1
            if depth < 0 { return true }
        }
        return false
    }

    private func permitted(_ location: ConfinedLocation, depth: Int) throws(AFCFailure) -> ConfinedLocation {
        guard depth >= subtree.count else { throw AFCFailure(.permissionDenied) }
        return location
    }

    /// Opens the folder at a location; nil if the object is not a folder.
    private func enter(_ place: ConfinedLocation, making: Bool) throws(AFCFailure) -> FolderDescriptor? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        for attempt in 0...1 {
            let number = openat(place.folder.number, place.name, flags)
            if number >= 0 { return FolderDescriptor(owning: number) }
            switch errno {
            case ENOTDIR, ELOOP: return nil
            case ENOENT where making && attempt == 0:
                if place.isFixed { throw AFCFailure(.permissionDenied) }
                let made = mkdirat(place.folder.number, place.name, 0o755)
                if made < 0, errno != EEXIST { throw AFCFailure(errno: errno) }
            case let number: throw AFCFailure(errno: number)
            }
        }
        throw AFCFailure(.objectNotFound)
    }

    /// The components of a path without empty ones and `.`; `..` is kept.
    ///
    /// The path is split by bytes. Swift treats a slash followed by a combining mark as a different character, but
    /// the kernel treats it as a slash.
    private static func components(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
    }
}
