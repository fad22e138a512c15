import BookFolders
import OverlayKit

/// The copy of the booklist on the device, from which another computer can start.
///
/// It does not contain images, because the device has them already. It is written only if it differs from the copy on
/// the device, and only if it is smaller than the share of the free space that the user allows.
struct BooklistCopy {
    /// The preference that enables the copy.
    static let preference = "device_booklist_caching"
    /// The preference that limits it, in percent of the free space.
    static let limitPreference = "device_booklist_cache_limit"
    /// The largest booklist in bytes.
    private static let largest = 64 << 20

    private let device: MarvinDevice
    private var host: HostServices { device.host }
    private var path: String { device.paths.booklistCopy }

    init(_ device: MarvinDevice) { self.device = device }

    /// The snapshot that another listing has left on the device; nil if there is none that can be used.
    func fetch() throws(OverlayError) -> LibrarySnapshot? {
        guard try device.cache.isOn(), try host.prefs.bool(Self.preference, default: false) else {
            return nil
        }
        guard let file = try device.files([path])[0], file.size <= UInt64(Self.largest) else {
            return nil
        }
        let bytes: [UInt8]
        do {
            bytes = try host.transport.readAll(device.root, path, limit: Self.largest)
        } catch {
            guard [.notFound, .damaged].contains(error.status) else { throw error }
            return nil
        }
        // Only the computer that saw an unsettled state can wait until the device's clock has passed it.
        guard var found = device.cache.snapshot(in: bytes), found.isSettled, found.state.isOf(device.paths)
        else { return nil }
        found.pushed = ListingCache.checksum(bytes[...])
        return found
    }

    /// Updates the copy to match the snapshot and the preferences, and records it in the snapshot.
    ///
    /// A failure is only logged, because the booklist has been delivered.
    func update(_ snapshot: inout LibrarySnapshot) {
        do throws(OverlayError) {
            snapshot.pushed = try push(snapshot)
        } catch {
            host.log.notice("marvin", "Cannot cache the booklist on the device: \(error.message)")
        }
    }

    /// The checksum of the copy that is on the device now; nil if there is none.
    private func push(_ snapshot: LibrarySnapshot) throws(OverlayError) -> String? {
        guard try host.prefs.bool(Self.preference, default: false) else {
            // The copy has been disabled, so it would become outdated.
            if snapshot.pushed != nil { try remove() }
            return nil
        }
        // In an unsettled state, other computers could miss a change.
        guard snapshot.isSettled else { return snapshot.pushed }
        guard let bytes = device.cache.file(of: snapshot) else { return snapshot.pushed }
        let checksum = ListingCache.checksum(bytes[...])
        let isThere = try device.files([path])[0]?.size == UInt64(bytes.count)
        if checksum == snapshot.pushed, isThere { return checksum }
        let share = min(max(try host.prefs.number(Self.limitPreference, default: 10), 0), 100)
        let free = try host.transport.freeSpace().free
        guard Double(bytes.count) < Double(free) * share / 100 else {
            host.log.notice(
                "marvin",
                "The booklist was not cached on the device because it would need more than "
                    + "\(Self.plain(share)) percent of the free space."
            )
            try remove()
            return nil
        }
        try host.transport.makeFolder(device.root, device.paths.booklistFolder)
        try host.transport.write(device.root, path, bytes)
        return checksum
    }

    /// A number as people write it: `10` or `2.5`.
    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    private func remove() throws(OverlayError) {
        do {
            try host.transport.remove(device.root, path)
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }
}
