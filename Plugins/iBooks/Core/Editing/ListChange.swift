import FoundationEssentials
import OverlayKit
import PropertyLists

/// Changes a list of books on the device so that it is whole at every moment, and can be had back.
///
/// Before the new list takes the place of the old one, a dated copy of the old one and the whole new one lie beside it, and
/// the list is read once more, for Books or a synchronisation may have changed it since. Then only a rename is left to do,
/// which is all the time that is left for somebody who knows of no claims. One changer serves one command: of each list it
/// makes one copy, of what was before the command. For the device thread.
final class ListChanger {
    /// Copies of older lists that are left beside a list, besides the very first one, which is what Books itself wrote.
    private static let backups = 5
    private static let mark = ".overlayhost-"
    /// What follows the name of a list that is about to take its place.
    private static let newMark = ".overlayhost.new"

    private let host: HostServices
    private let now: () -> Date
    /// The copies that this command has made; nil for a list that was not there before it.
    private var copied: [BookList: String?] = [:]

    init(host: HostServices, now: @escaping () -> Date) { (self.host, self.now) = (host, now) }

    /// A change that was made, and how it is undone.
    struct Change {
        let list: BookList
        /// What the list was before; nil: there was none.
        let before: [UInt8]?
        /// What it is now.
        let after: [UInt8]
        /// Where the copy of the old list is; nil if there was none.
        let backup: String?
    }

    /// Puts other books into a list.
    ///
    /// - Throws: `busy` when the list has changed since it was read. The list then is what it was.
    func change(_ file: BookListFile, to entries: [PropertyList]) throws(OverlayError) -> Change {
        let list = file.list
        let after = try file.encoded(entries)
        let isFirst = copied[list] == nil
        let new = list.path + Self.newMark
        let backup: String?
        do throws(OverlayError) {
            backup = try copy(file, by: new)
            try host.transport.write(.media, new, after, verifyDigest: true)
            guard try current(list) == file.bytes else {
                if isFirst, let backup { try removeQuietly(backup) }
                if isFirst { copied[list] = nil }
                throw OverlayError(
                    .busy, "The list of books has changed while it was worked on.", subject: list.path,
                    hint: "Wait until the synchronisation is over, then try again.", retryable: true)
            }
        } catch {
            try removeQuietly(new)
            throw error
        }
        let change = Change(list: list, before: file.bytes, after: after, backup: backup)
        do throws(OverlayError) {
            try host.transport.rename(.media, new, to: list.path)
        } catch {
            // Nobody knows which of the two lists is there now.
            try undo([change], because: error)
            try removeQuietly(new)
            throw error
        }
        do throws(OverlayError) {
            try prune(list)
        } catch {
            // The list is written and names its books: that old copies are left over must not look like a failure.
            host.log.notice("ibooks", "Old copies of a list stay: \(error.message)", ["list": list.path])
        }
        return change
    }

    /// Sees to it that what a list was before this command lies beside it, and gives where; nil if there was no list.
    ///
    /// It is written as `new` first: of a name that never comes again nobody would take away what a pulled cable leaves.
    private func copy(_ file: BookListFile, by new: String) throws(OverlayError) -> String? {
        let list = file.list
        if let known = copied[list] { return known }
        guard let before = file.bytes else {
            try host.transport.makeFolder(.media, folder(of: list.path))
            copied.updateValue(nil, forKey: list)
            return nil
        }
        let path = try freeBackupPath(list)
        try host.transport.write(.media, new, before, verifyDigest: true)
        try host.transport.rename(.media, new, to: path)
        copied.updateValue(path, forKey: list)
        return path
    }

    /// Puts the lists back to what they were, the last one first.
    ///
    /// - Throws: the reason, with where the old lists are to be found, if that is not possible.
    func undo(_ changes: [Change], because reason: OverlayError) throws(OverlayError) {
        for change in changes.reversed() {
            do throws(OverlayError) {
                let current = try current(change.list)
                if current == change.before { continue }
                // What somebody else has written meanwhile is not ours to overwrite, unless it is damaged.
                if let current, current != change.after, Self.isSound(change.list, current) { continue }
                if let before = change.before {
                    try host.transport.write(.media, change.list.path, before, verifyDigest: true)
                } else {
                    try host.transport.remove(.media, change.list.path)
                }
            } catch {
                var failure = reason
                failure.message += " The list \(change.list.path) could not be put back: \(error.message)"
                failure.hint =
                    change.backup.map {
                        "What it was before this command is in \($0), in the media folder of the device."
                    }
                    ?? failure.hint
                throw failure
            }
        }
    }

    private static func isSound(_ list: BookList, _ bytes: [UInt8]) -> Bool {
        do throws(OverlayError) {
            _ = try BookListFile(list, bytes: bytes)
            return true
        } catch {
            return false
        }
    }

    private func current(_ list: BookList) throws(OverlayError) -> [UInt8]? {
        do throws(OverlayError) {
            return try host.transport.readAll(.media, list.path, limit: BookListFile.largest)
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
    }

    private func folder(of path: String) -> String {
        path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    }

    /// Names in the folder of a list that are copies of it, the oldest first.
    private func copies(_ list: BookList) throws(OverlayError) -> [String] {
        let name = list.path.split(separator: "/").last.map(String.init) ?? ""
        return try host.transport.list(.media, folder(of: list.path)).map(\.name)
            .filter { $0.hasPrefix(name + Self.mark) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func freeBackupPath(_ list: BookList) throws(OverlayError) -> String {
        let taken = Set(try copies(list).map { folder(of: list.path) + "/" + $0 })
        let stamp = list.path + Self.mark + Self.text(now())
        // Several changes within one second keep their order.
        for number in 0..<1000 {
            let digits = String(number)
            let path = stamp + "." + String(repeating: "0", count: 3 - digits.count) + digits
            if !taken.contains(path) { return path }
        }
        throw OverlayError(.busy, "There is no free name for a copy of the list.", subject: list.path)
    }

    /// Such as `20260131T095959Z`.
    private static func text(_ date: Date) -> String {
        date.formatted(.iso8601).filter { !"-:".contains($0) }
    }

    private func prune(_ list: BookList) throws(OverlayError) {
        for name in try copies(list).dropFirst().dropLast(Self.backups) {
            try removeQuietly(folder(of: list.path) + "/" + name)
        }
    }

    /// A copy too many does no harm.
    private func removeQuietly(_ path: String) throws(OverlayError) {
        do throws(OverlayError) {
            try host.transport.remove(.media, path)
        } catch {
            if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw error }
            host.log.debug(
                "ibooks", "A copy of a list could not be removed: \(error.message)", ["file": path])
        }
    }
}
