import Diagnostics
import BookFolders
import OverlayKit
import Platform
import PropertyLists

/// The lists that a command is about to change together. They are recorded on the host before the first is written,
/// so that the next command finishes a change that was interrupted between two lists, or undoes it if no list was
/// written.
///
/// A host without storage has no notes. Use on the device thread, for one command that has claimed Books.
struct ListJournal {
    private static let key = "unfinished-lists.plist"
    /// The suffix of a list's name while it waits to replace the list.
    static let newMark = ".overlayhost.new"

    /// A list, with digests that show whether it was changed.
    struct Note: Equatable {
        let list: BooksPlist
        /// The MD5 before; nil if there was no list.
        let before: String?
        /// The MD5 after the change.
        let after: String

        init(_ list: BooksPlist, before: [UInt8]?, after: [UInt8]) throws(OverlayError) {
            self.list = list
            self.before = try before.map(Note.digest)
            self.after = try Note.digest(after)
        }

        /// Reads a stored note; nil if it is damaged.
        fileprivate init?(_ value: PropertyList) {
            guard let path = value["list"]?.string, let after = value["after"]?.string,
                let list = BooksPlist.all.first(where: { $0.path == path })
            else { return nil }
            (self.list, before, self.after) = (list, value["before"]?.string, after)
        }

        fileprivate var propertyList: PropertyList {
            var values: [String: PropertyList] = ["list": .string(list.path), "after": .string(after)]
            values["before"] = before.map { .string($0) }
            return .dictionary(values)
        }

        static func digest(_ bytes: [UInt8]) throws(OverlayError) -> String {
            let digest = Digest(.md5)
            digest.add(bytes)
            return Hex.text(try digest.finished(), uppercase: true)
        }
    }

    private let host: HostServices

    init(_ host: HostServices) { self.host = host }

    /// Whether there are no notes.
    var isEmpty: Bool { notes.isEmpty }

    /// The notes; empty if they are damaged.
    private var notes: [Note] {
        do {
            guard let bytes = try host.storage.read(.data, Self.key) else { return [] }
            return (try PropertyList(parsing: bytes, limits: .file).array ?? []).compactMap { Note($0) }
        } catch {
            host.log.debug("ibooks", "Cannot read which lists were being changed: \(error)")
            return []
        }
    }

    /// Notes lists that are about to be changed together.
    ///
    /// - Throws: errors of the storage, except that it is missing.
    func begin(_ notes: [Note]) throws(OverlayError) {
        let bytes: [UInt8]
        do throws(PropertyListError) {
            bytes = try PropertyList.array(notes.map(\.propertyList)).encoded(.binary)
        } catch {
            throw OverlayError(
                .failed,
                "Cannot record which lists are about to be changed: "
                    + "\(error.message)")
        }
        do throws(OverlayError) { try host.storage.write(.data, Self.key, bytes) } catch {
            guard error.status == .notSupported else { throw error }
        }
    }

    /// Removes the notes: either every list is changed, or none is.
    func settle() throws(OverlayError) {
        do throws(OverlayError) { try host.storage.remove(.data, Self.key) } catch {
            guard error.status == .notSupported else { throw error }
        }
    }

    /// Finishes a change if some list was written, and undoes it if none was.
    ///
    /// A list that has neither the old nor the new digest has been changed by Books or a sync, and is left alone.
    ///
    /// - Throws: `busy` while a list is missing that existed before, because iOS may be writing it; the notes stay.
    func finish() throws(OverlayError) {
        let notes = notes
        guard !notes.isEmpty else { return }
        var present: [String?] = []
        for note in notes { present.append(try digest(note.list.path)) }
        if let missing = zip(notes, present).first(where: { $0.before != nil && $1 == nil })?.0 {
            throw OverlayError(
                .busy, "An earlier command was interrupted, and a list that it was changing is missing.",
                subject: missing.list.path,
                hint: "Open Books on the device, wait until it shows your books, then try again.",
                retryable: true)
        }
        let isBegun = zip(notes, present).contains { $0.after == $1 }
        for (note, digest) in zip(notes, present) where digest != note.after {
            let new = note.list.path + Self.newMark
            if isBegun, digest == note.before, try self.digest(new) == note.after {
                try host.transport.rename(.media, new, to: note.list.path)
                continue
            }
            if isBegun {
                host.log.warning(
                    "ibooks",
                    "The list \(note.list.path) has changed since a command was interrupted. It was not "
                        + "changed again."
                )
            }
            try removeIfThere(new)
        }
        try settle()
        host.log.warning(
            "ibooks",
            isBegun
                ? "Finished changing the lists of Books after an interrupted command."
                : "An earlier command was interrupted before it changed the lists of Books. They are "
                    + "unchanged."
        )
    }

    /// The MD5 of a file; nil if it does not exist.
    private func digest(_ path: String) throws(OverlayError) -> String? {
        do throws(OverlayError) {
            return try Note.digest(try host.transport.readAll(.media, path, limit: BooksPlistFile.largest))
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
    }

    private func removeIfThere(_ path: String) throws(OverlayError) {
        do throws(OverlayError) { try host.transport.remove(.media, path) } catch {
            guard error.status == .notFound else { throw error }
        }
    }
}
