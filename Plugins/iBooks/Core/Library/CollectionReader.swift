import DeviceDatabases
import OverlayKit
import Platform

/// The collections of the library, which Books keeps in a database in its container.
struct Collections {
    /// The names of collections, by the key of a book in upper case.
    fileprivate var byKey: [String: [String]] = [:]
    /// The keys of books, by their paths relative to `/Books`.
    fileprivate var keys: [String: String] = [:]

    /// The collections of a book.
    func of(_ item: BooksLibrary.Item) -> [String] {
        let ids = [keys[item.path.text]].compactMap { $0 } + (item.entry?.assetIDs ?? [])
        var seen: Set<String> = []
        return ids.flatMap { byKey[$0.uppercased()] ?? [] }.filter { seen.insert($0).inserted }
    }
}

/// Reads the collections. iOS lets a host into the container only before iOS 8.3.
struct CollectionReader {
    private static let folder = "/Documents/BKLibrary_database"
    private static let mostRows = 200_000

    let host: HostServices

    /// The collections; nil if they cannot be read.
    func collections() throws(OverlayError) -> Collections? {
        let roots = try host.transport.roots()
        guard roots.contains(where: { $0.root == .container && $0.granted }) else { return nil }
        do throws(OverlayError) {
            let names = try host.transport.list(.container, Self.folder).map(\.name)
                .filter { $0.hasPrefix("iBooks_") && $0.hasSuffix(".sqlite") }
            // The name contains a version; the newest comes last.
            guard let name = names.max() else { return nil }
            let path = Self.folder + "/" + name
            let copy = try DatabaseCopy(
                host, .container, path, name: "The library of Books", largest: 512 << 20)
            do throws(DatabaseError) {
                return try read(
                    DeviceDatabase(
                        path: copy.path, name: "The library of Books", byteBudget: 64 << 20,
                        isCancelled: { host.cancellation.isCancelled }))
            } catch {
                throw OverlayError(error, subject: path)
            }
        } catch {
            if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw error }
            if error.status != .notFound {
                host.log.notice("ibooks", "Cannot read the collections: \(error.message)")
            }
            return nil
        }
    }

    private func read(_ database: DeviceDatabase) throws(DatabaseError) -> Collections {
        var collections = Collections()
        let tables = try database.tables()
        guard tables["zbkcollection"] == true, tables["zbkcollectionmember"] == true else {
            return collections
        }
        var titles: [Int64: String] = [:]
        let own = try database.columns(of: "ZBKCOLLECTION")
        guard own.isSuperset(of: ["z_pk", "ztitle"]) else { return collections }
        let deleted = own.contains("zdeletedflag") ? "t.ZDELETEDFLAG" : "0"
        try database.readableRows(
            of: "ZBKCOLLECTION", ["t.Z_PK", "t.ZTITLE", deleted], limit: Self.mostRows
        ) { row throws(DatabaseError) in
            guard let key = row.key(0), let title = try row.text(1), !title.isEmpty,
                try row.number(2) ?? 0 == 0
            else { return }
            titles[key] = title
        }
        let member = try database.columns(of: "ZBKCOLLECTIONMEMBER")
        guard member.contains("zcollection"),
            let bookKey = ["zdatabasekey", "zassetid"].first(where: { member.contains($0) })
        else { return collections }
        try database.readableRows(
            of: "ZBKCOLLECTIONMEMBER", ["t.ZCOLLECTION", "t.\(bookKey)"], limit: Self.mostRows
        ) { row throws(DatabaseError) in
            // A member of a deleted collection does not count.
            guard let collection = row.key(0), let title = titles[collection], let key = try row.text(1)
            else { return }
            collections.byKey[key.uppercased(), default: []].append(title)
        }
        try readBooks(database, tables, &collections)
        return collections
    }

    /// Reads which key belongs to which file.
    private func readBooks(
        _ database: DeviceDatabase, _ tables: [String: Bool], _ collections: inout Collections
    ) throws(DatabaseError) {
        guard tables["zbkbookinfo"] == true,
            try database.columns(of: "ZBKBOOKINFO").isSuperset(of: ["zasseturl", "zdatabasekey"])
        else { return }
        try database.readableRows(
            of: "ZBKBOOKINFO", ["t.ZASSETURL", "t.ZDATABASEKEY"], limit: Self.mostRows
        ) { row throws(DatabaseError) in
            guard let url = try row.text(0), let key = try row.text(1),
                let place = Self.path(ofURL: url)
            else { return }
            collections.keys[place] = key
        }
    }

    /// The path relative to `/Books` of a URL such as `file://localhost/private/var/mobile/Media/Books/a%20b.epub/`.
    static func path(ofURL url: String) -> String? {
        let decoded = PercentCoding.decoded(repairing: url)
        guard decoded.hasPrefix("file://"), let place = decoded.firstRange(of: "/Media/Books/") else {
            return nil
        }
        return SafePath(String(decoded[place.upperBound...]))?.text
    }
}
