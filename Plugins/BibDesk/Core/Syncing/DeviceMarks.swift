import BibliographySync
import OverlayKit

/// The data that hosts store on the device, in a folder that the app does not read: a few bytes for each host.
struct DeviceMarks: BibliographyState {
    let host: HostServices
    let store: ReferenceStore
    /// The largest value in bytes.
    private static let largest = 1 << 20

    private var folder: String { store.ownFolder + "/.overlayhost-sync" }

    func get(_ key: String) throws(BibliographySyncError) -> [UInt8]? {
        try syncing { () throws(OverlayError) in
            do throws(OverlayError) {
                return try host.transport.readAll(store.root, folder + "/" + key, limit: Self.largest)
            } catch {
                guard error.status == .notFound else { throw error }
                return nil
            }
        }
    }

    func put(_ key: String, _ value: [UInt8]) throws(BibliographySyncError) {
        try syncing { () throws(OverlayError) in
            try host.transport.makeFolder(store.root, folder)
            try host.transport.write(store.root, folder + "/" + key, value)
        }
    }

    func remove(_ key: String) throws(BibliographySyncError) {
        try syncing { () throws(OverlayError) in
            do throws(OverlayError) {
                try host.transport.remove(store.root, folder + "/" + key)
            } catch {
                guard error.status == .notFound else { throw error }
            }
        }
    }

    func keys() throws(BibliographySyncError) -> [String] {
        try syncing { () throws(OverlayError) in
            do throws(OverlayError) {
                return try host.transport.list(store.root, folder).map(\.name)
            } catch {
                guard error.status == .notFound else { throw error }
                return []
            }
        }
    }
}
