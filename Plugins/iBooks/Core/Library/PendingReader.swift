import DeviceDatabases
import OverlayKit

/// Reads which books a sync has still to transfer, from iOS's database in the media folder.
struct PendingReader {
    private static let path = "/Books/Sync/Database/OutstandingAssets_4.sqlite"
    private static let name = "The list of pending books"

    let host: HostServices

    /// The persistent ids of those books, in upper case; empty if they cannot be read.
    func persistentIDs() throws(OverlayError) -> Set<String> {
        do throws(OverlayError) {
            let copy = try DatabaseCopy(host, .media, Self.path, name: Self.name, largest: 64 << 20)
            do throws(DatabaseError) {
                return try read(
                    DeviceDatabase(
                        path: copy.path, name: Self.name, byteBudget: 16 << 20,
                        isCancelled: { host.cancellation.isCancelled }))
            } catch {
                throw OverlayError(error, subject: Self.path)
            }
        } catch {
            if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw error }
            if error.status != .notFound {
                host.log.debug("ibooks", "Cannot read the list of pending books: \(error.message)")
            }
            return []
        }
    }

    private func read(_ database: DeviceDatabase) throws(DatabaseError) -> Set<String> {
        let table = "ZBCOUTSTANDINGASSET"
        guard try database.tables()[table.lowercased()] == true,
            try database.columns(of: table).contains("zpersistentid")
        else { return [] }
        var ids: Set<String> = []
        try database.readableRows(of: table, ["t.ZPERSISTENTID"], limit: 100_000) {
            row throws(DatabaseError) in
            if let id = try row.text(0) { ids.insert(id.uppercased()) }
        }
        return ids
    }
}
