import CSystemShims
import Glibc

/// Removes the contents of a folder with any depth and any permissions.
///
/// Nested folders are first moved to the top, so that the depth is not limited by the length of a path, the stack or
/// the number of descriptors. A program that keeps adding files delays the removal, but not for long.
struct FolderRemoval {
    private let top: Int32
    private let end = SystemClock.monotonic &+ FolderRemoval.longest
    /// The number of folders that have been moved.
    private var moved: UInt64 = 0

    /// Removes the contents of an open folder, but not the folder itself. Returns false if something could not be
    /// removed.
    static func removeContents(of folder: Int32) -> Bool {
        var removal = FolderRemoval(top: folder)
        return removal.run()
    }

    private init(top: Int32) { self.top = top }

    private mutating func run() -> Bool {
        fchmod(top, 0o700)
        // Folders that were moved to the top are removed in a later iteration.
        while let names = Self.names(top), !names.isEmpty {
            var progress = false
            for name in names {
                guard SystemClock.monotonic < end else { return false }
                if remove(name) { progress = true }
            }
            guard progress else { return false }
        }
        return Self.names(top)?.isEmpty == true
    }

    /// Removes an entry of the top folder, or moves its subfolders to the top. Returns true if something was changed.
    private mutating func remove(_ name: [CChar]) -> Bool {
        if unlinkat(top, name, 0) == 0 || unlinkat(top, name, AT_REMOVEDIR) == 0 { return true }
        guard let folder = Self.open(name, in: top) else { return false }
        defer { close(folder) }
        var progress = false
        for entry in Self.names(folder) ?? []
        where unlinkat(folder, entry, 0) == 0 || unlinkat(folder, entry, AT_REMOVEDIR) == 0
            || move(entry, from: folder)
        {
            progress = true
        }
        return unlinkat(top, name, AT_REMOVEDIR) == 0 || progress
    }

    /// Moves a folder to the top, with a name that is unused or belongs to an empty folder.
    private mutating func move(_ name: [CChar], from folder: Int32) -> Bool {
        // A folder can be moved only if its owner can change it.
        guard let opened = Self.open(name, in: folder) else { return false }
        defer { close(opened) }
        repeat {
            moved += 1
            if renameat(folder, name, top, "moved-\(moved)") == 0 { return true }
        } while errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR
        return false
    }

    /// Opens a folder, which must not be a link, and allows its owner to list, change and move it; nil if the name
    /// does not belong to a folder.
    static func open(_ name: [CChar], in folder: Int32) -> Int32? {
        let descriptor = shim_open_own_folder(folder, name)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Some of the names in a folder, which are sufficient for one iteration; nil if it cannot be listed.
    private static func names(_ folder: Int32) -> [[CChar]]? {
        var names: [[CChar]] = []
        let code = FolderListing.each(in: folder) { entry in
            names.append(entry.bytes.map { CChar(bitPattern: $0) } + [0])
            return names.count < most
        }
        return code == 0 ? names : nil
    }

    /// The time limit in nanoseconds. The next removal continues.
    private static let longest: UInt64 = 10_000_000_000
    /// The largest number of names that are read together.
    private static let most = 4096
}
