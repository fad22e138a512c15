import FoundationEssentials
import OverlayKit
import PropertyLists

/// The lists that were on the device before. They are recorded on the host, because a list can be missing for a
/// moment while Books or iOS rewrites it, and then looks as if there had never been one.
///
/// A host without storage has no record. Use on the device thread.
struct SeenLists {
    private static let key = "lists.plist"
    /// After so many seconds, a missing list counts as gone.
    private static let longest: Int64 = 24 * 60 * 60

    private struct Record: Equatable {
        var lists: Set<BooksPlist> = []
        /// When a list was first found missing, in seconds since 1970.
        var missingSince: [BooksPlist: Int64] = [:]
    }

    private let host: HostServices
    private var record = Record()

    /// Loads the record; a damaged one counts as none.
    init(_ host: HostServices) {
        self.host = host
        do {
            guard let bytes = try host.storage.read(.data, Self.key) else { return }
            for entry in try PropertyList(parsing: bytes, limits: .file).array ?? [] {
                guard let path = entry["list"]?.string,
                    let list = BooksPlist.all.first(where: { $0.path == path })
                else { continue }
                record.lists.insert(list)
                record.missingSince[list] = entry["missing"]?.integer
            }
        } catch {
            host.log.debug("ibooks", "Cannot read which lists were there before: \(error)")
        }
    }

    /// Records lists that are there now.
    mutating func note(_ lists: Set<BooksPlist>) {
        var new = record
        new.lists.formUnion(lists)
        for list in lists { new.missingSince[list] = nil }
        keep(new)
    }

    /// The lists that were there before, are missing now, and may name books on the device.
    ///
    /// A list without any books on the device counts as gone, as after a restore, and so does one that has been
    /// missing for a day.
    ///
    /// - Parameter copied: lists with an older copy beside them, which shows that they were there.
    mutating func missing(
        from library: BooksLibrary, copied: Set<BooksPlist>, at date: Date
    ) -> [BooksPlist] {
        var new = record
        let present = library.present
        let now = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
        var missing: [BooksPlist] = []
        for file in library.files {
            let list = file.list
            if present.contains(list) {
                new.lists.insert(list)
                new.missingSince[list] = nil
                continue
            }
            // Without some part of the library, it is not known which books are on the device.
            guard library.unreadable.isEmpty else { continue }
            guard new.lists.contains(list) || copied.contains(list), library.mayBeNamed(by: list) else {
                new.lists.remove(list)
                new.missingSince[list] = nil
                continue
            }
            let since = min(new.missingSince[list] ?? now, now)
            new.lists.insert(list)
            new.missingSince[list] = since
            if now - since < Self.longest { missing.append(list) }
        }
        keep(new)
        return missing
    }

    /// Saves a record if it is new. If that fails, only a list that goes missing later is not noticed.
    private mutating func keep(_ new: Record) {
        guard new != record else { return }
        record = new
        let entries = BooksPlist.all.filter { new.lists.contains($0) }.map { list -> PropertyList in
            var values: [String: PropertyList] = ["list": .string(list.path)]
            values["missing"] = new.missingSince[list].map { .integer($0) }
            return .dictionary(values)
        }
        do {
            try host.storage.write(.data, Self.key, PropertyList.array(entries).encoded(.binary))
        } catch {
            host.log.debug("ibooks", "Cannot record which lists are there: \(error)")
        }
    }
}
