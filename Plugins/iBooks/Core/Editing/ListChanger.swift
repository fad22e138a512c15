import FoundationEssentials
import OverlayKit
import Platform
import PropertyLists

/// Changes lists of books on the device so that each is complete at every moment and can be restored.
///
/// First a dated copy of the old list and the complete new list are written beside the list. Then the list is read
/// once more, because Books or a sync may have changed it. After that, only a rename remains, so the time in which a
/// program without claims could interfere is short. A changer serves one command and makes one copy of each list, of
/// its state before the command. Use on the device thread.
final class ListChanger {
    /// How many older copies of a list are kept, besides the very first one, which Books itself wrote.
    private static let backups = 5

    private let host: HostServices
    private let now: () -> Date
    /// The copies that this command has made; nil for a list that did not exist before.
    private var copied: [BooksPlist: String?] = [:]

    init(host: HostServices, now: @escaping () -> Date) { (self.host, self.now) = (host, now) }

    /// A change of one list, with the values that are needed to undo it.
    private struct Change {
        let list: BooksPlist
        /// The list before; nil if there was none.
        let before: [UInt8]?
        /// The list after the change.
        let after: [UInt8]
        /// The path of the copy of the old list; nil if it has not been made yet or there was no list.
        var backup: String?
        /// Whether this change made the copy.
        var madeCopy = false

        var new: String { list.path + ListJournal.newMark }
    }

    /// Writes new entries to lists: to all of them or, as long as the device can be reached, to none.
    ///
    /// The lists are noted before the first write, so that the next command finishes the work if the connection is
    /// lost.
    ///
    /// - Throws: `busy` if a list has changed since it was read.
    func change(_ wanted: [(file: BooksPlistFile, entries: [PropertyList])]) throws(OverlayError) {
        guard !wanted.isEmpty else { return }
        var changes: [Change] = []
        for (file, entries) in wanted {
            changes.append(Change(list: file.list, before: file.bytes, after: try file.encoded(entries)))
        }
        let notes = ListJournal(host)
        try notes.begin(
            try changes.map { change throws(OverlayError) in
                try .init(change.list, before: change.before, after: change.after)
            })
        var written = 0
        do throws(OverlayError) {
            for index in changes.indices { try prepare(&changes[index]) }
            for change in changes {
                try requireUnchanged(change)
                written += 1
                try host.transport.rename(.media, change.new, to: change.list.path)
            }
        } catch {
            // It is not known whether the last rename took effect, so it is undone too.
            try undo(Array(changes[..<written]), because: error)
            for change in changes { try removeQuietly(change.new) }
            try notes.settle()
            throw error
        }
        try notes.settle()
        for change in changes {
            do throws(OverlayError) {
                try prune(change.list)
            } catch {
                // The list is written and names its books, so leftover copies must not look like a failure.
                host.log.notice(
                    "ibooks", "Cannot remove old copies of a list: \(error.message)",
                    ["list": change.list.path])
            }
        }
    }

    /// Writes a copy of the old list and the complete new list beside the list.
    private func prepare(_ change: inout Change) throws(OverlayError) {
        change.madeCopy = copied[change.list] == nil
        change.backup = try copy(change.list, change.before, by: change.new)
        try host.transport.write(.media, change.new, change.after, verifyDigest: true)
    }

    /// Checks that a list has not changed since it was read.
    private func requireUnchanged(_ change: Change) throws(OverlayError) {
        guard try current(change.list) != change.before else { return }
        if change.madeCopy {
            if let backup = change.backup { try removeQuietly(backup) }
            copied[change.list] = nil
        }
        throw OverlayError(
            .busy, "The list of books changed while it was being edited.", subject: change.list.path,
            hint: "Wait until the sync has finished, then try again.", retryable: true)
    }

    /// Makes sure that a copy of the list from before this command exists, and returns its path; nil if there was no
    /// list.
    ///
    /// The copy is first written as `new`: under its final name, a copy that was cut off would never be removed.
    private func copy(
        _ list: BooksPlist, _ before: [UInt8]?, by new: String
    ) throws(OverlayError) -> String? {
        if let known = copied[list] { return known }
        guard let before else {
            try host.transport.makeFolder(.media, list.ownFolder)
            copied.updateValue(nil, forKey: list)
            return nil
        }
        let path = try freeBackupPath(list)
        try host.transport.write(.media, new, before, verifyDigest: true)
        try host.transport.rename(.media, new, to: path)
        copied.updateValue(path, forKey: list)
        return path
    }

    /// Restores the lists, in reverse order.
    ///
    /// - Throws: if that fails, the reason with the paths of the old lists.
    private func undo(_ changes: [Change], because reason: OverlayError) throws(OverlayError) {
        for change in changes.reversed() {
            do throws(OverlayError) {
                let current = try current(change.list)
                if current == change.before { continue }
                // A list that another program has written meanwhile must not be overwritten, unless it is damaged.
                if let current, current != change.after, Self.isSound(change.list, current) { continue }
                if let before = change.before {
                    try host.transport.write(.media, change.list.path, before, verifyDigest: true)
                } else {
                    try host.transport.remove(.media, change.list.path)
                }
            } catch {
                var failure = reason
                failure.message += " Cannot restore the list \(change.list.path): \(error.message)"
                failure.hint =
                    change.backup.map {
                        "Its previous version is in \($0), in the media folder of the device."
                    }
                    ?? failure.hint
                throw failure
            }
        }
    }

    private static func isSound(_ list: BooksPlist, _ bytes: [UInt8]) -> Bool {
        do throws(OverlayError) {
            _ = try BooksPlistFile(list, bytes: bytes)
            return true
        } catch {
            return false
        }
    }

    private func current(_ list: BooksPlist) throws(OverlayError) -> [UInt8]? {
        do throws(OverlayError) {
            return try host.transport.readAll(.media, list.path, limit: BooksPlistFile.largest)
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
    }

    /// The names of a list's copies in its folder, oldest first.
    private func copies(_ list: BooksPlist) throws(OverlayError) -> [String] {
        try host.transport.list(.media, list.ownFolder).map(\.name)
            .filter { list.hasCopy(named: $0) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func freeBackupPath(_ list: BooksPlist) throws(OverlayError) -> String {
        let taken = Set(try copies(list).map { list.ownFolder + "/" + $0 })
        let stamp = list.path + BooksPlist.copyMark + Self.text(now())
        // The number keeps several changes within one second in order.
        for number in 0..<1000 {
            let path = stamp + "." + number.padded(3)
            if !taken.contains(path) { return path }
        }
        throw OverlayError(.busy, "Cannot find an unused name for a copy of the list.", subject: list.path)
    }

    /// A time such as `20260131T095959Z`.
    private static func text(_ date: Date) -> String {
        let seconds = Int64(date.timeIntervalSince1970.rounded(.down))
        return CivilTime(secondsSince1970: seconds).text().filter { !"-:".contains($0) }
    }

    private func prune(_ list: BooksPlist) throws(OverlayError) {
        for name in try copies(list).dropFirst().dropLast(Self.backups) {
            try removeQuietly(list.ownFolder + "/" + name)
        }
    }

    /// An extra copy does no harm.
    private func removeQuietly(_ path: String) throws(OverlayError) {
        do throws(OverlayError) {
            try host.transport.remove(.media, path)
        } catch {
            if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw error }
            host.log.debug(
                "ibooks", "Cannot remove a copy of a list: \(error.message)", ["file": path])
        }
    }
}
