import Glibc
import Platform

/// An open folder. It is closed with the last reference to it.
final class FolderDescriptor: Sendable {
    let number: Int32

    /// Takes ownership of an open descriptor.
    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        _ = close(number)
    }

    /// Opens a folder below another, or at a path of the host. A symbolic link is refused.
    init(opening name: String, in folder: Int32, following: Bool = false) throws(AFCFailure) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (following ? 0 : O_NOFOLLOW)
        number = try AFCFailure.check { openat(folder, name, flags) }
    }

    /// The name of the entry that `name` matches. If there is none, the name that a new entry gets.
    func entry(for name: String, _ names: FileRules.Names) throws(AFCFailure) -> String {
        guard names != .exact, !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        let entries = try self.names().compactMap { String(validating: $0, as: UTF8.self) }
        if let same = entries.first(where: { $0.utf8.elementsEqual(name.utf8) }) { return same }
        // Swift strings are equal if they are canonically equivalent.
        if let equivalent = entries.first(where: { $0 == name }) { return equivalent }
        return names == .decomposed ? name.decomposed : name
    }

    /// The names in the folder without `.` and `..`, in byte order.
    func names() throws(AFCFailure) -> [[UInt8]] {
        var names: [[UInt8]] = []
        let code = FolderListing.each(in: number) { entry in
            names.append(entry.bytes)
            return true
        }
        guard code == 0 else { throw AFCFailure(errno: code) }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
