import OverlayKit

/// The copy of the booklist on the device, with which another computer can begin.
///
/// It holds no images: they are on the device already. It is written only when it would be another one, and only while it is
/// smaller than the share of the free space that the person allows.
extension BooklistCache {
    /// The option that switches the copy.
    static let copyPreference = "device_booklist_caching"
    /// The option that limits it, in percent of the free space.
    static let limitPreference = "device_booklist_cache_limit"
    /// Larger files are no booklist.
    private static let largestCopy = 64 << 20

    /// The snapshot that another listing has left on the device; nil: there is none that can be used.
    func fetchCopy(_ device: MarvinDevice) throws(OverlayError) -> LibrarySnapshot? {
        guard try isOn(), try host.prefs.bool(Self.copyPreference, default: false) else { return nil }
        let path = device.paths.booklistCopy
        guard let file = try device.files([path])[0], file.size <= UInt64(Self.largestCopy) else {
            return nil
        }
        let bytes: [UInt8]
        do {
            bytes = try host.transport.readAll(device.root, path, limit: Self.largestCopy)
        } catch {
            guard [.notFound, .damaged].contains(error.status) else { throw error }
            return nil
        }
        // A clock that has not settled was another computer's to wait for.
        guard var found = decoded(bytes), found.isSettled, found.state.library == device.paths.library,
            found.state.root == device.root.rawValue
        else { return nil }
        found.pushed = CacheChecksum.of(bytes[...])
        return found
    }

    /// Brings the copy on the device into line with the snapshot and the preferences, and notes it in the snapshot.
    ///
    /// Whatever goes wrong is only logged: the booklist was delivered.
    func updateCopy(_ snapshot: inout LibrarySnapshot, _ device: MarvinDevice) {
        do throws(OverlayError) {
            snapshot.pushed = try push(snapshot, device)
        } catch {
            host.log.notice("marvin", "Cannot cache the booklist on the device: \(error.message)")
        }
    }

    /// The checksum of the copy that is on the device now; 0: none.
    private func push(
        _ snapshot: LibrarySnapshot, _ device: MarvinDevice
    ) throws(OverlayError) -> UInt64 {
        let path = device.paths.booklistCopy
        guard try host.prefs.bool(Self.copyPreference, default: false) else {
            // Switched off since: the copy would grow old.
            if snapshot.pushed != 0 { try removeCopy(path, device) }
            return 0
        }
        // Nobody may rely on a state in which changes may hide.
        guard snapshot.isSettled else { return snapshot.pushed }
        let bytes = snapshot.encoded(withImages: false)
        let checksum = CacheChecksum.of(bytes[...])
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
            try removeCopy(path, device)
            return 0
        }
        try host.transport.makeFolder(device.root, device.paths.booklistFolder)
        try host.transport.write(device.root, path, bytes)
        return checksum
    }

    /// A number as a person writes it: `10`, or `2.5`.
    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    private func removeCopy(_ path: String, _ device: MarvinDevice) throws(OverlayError) {
        do {
            try host.transport.remove(device.root, path)
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }
}
