import OverlayKit

/// What the host keeps of a listing between two of them: the booklist in one file, the images in packs.
///
/// Nothing here is needed: what cannot be read, or is not what was written, is as good as nothing, and a host without storage
/// makes every listing a first one. The host keeps the files of each device and app apart.
final class BooklistCache {
    /// The option that switches it.
    static let preference = "booklist_caching"
    private static let booklist = "booklist"
    private static let packPrefix = "covers-"
    /// Bytes of a pack, about: few enough that the device still has requests to answer while one is written.
    static let packSize = 1 << 20
    /// Most bytes of images that are kept of one app.
    static let mostImages = 512 << 20
    /// Packs that are kept in memory while images are read.
    private static let open = 3

    let host: HostServices
    private var remembered: LibrarySnapshot?
    private var packs: [(number: UInt64, bytes: [UInt8])] = []

    init(_ host: HostServices) {
        self.host = host
    }

    /// Whether the person wants it.
    func isOn() throws(OverlayError) -> Bool { try host.prefs.bool(Self.preference, default: true) }

    /// Forgets what is in memory.
    func forget() {
        remembered = nil
        packs = []
    }

    /// The last snapshot of this library; nil: there is none that can be used.
    func load(_ device: MarvinDevice) throws(OverlayError) -> LibrarySnapshot? {
        guard try isOn() else { return nil }
        let found = remembered ?? read()
        guard let found, found.state.library == device.paths.library,
            found.state.root == device.root.rawValue
        else { return nil }
        return found
    }

    private func read() -> LibrarySnapshot? {
        guard let bytes = quietly({ () throws(OverlayError) in try host.storage.read(.cache, Self.booklist) })
        else { return nil }
        return bytes.flatMap(decoded)
    }

    /// The snapshot in a file; nil when it is damaged.
    func decoded(_ bytes: [UInt8]) -> LibrarySnapshot? {
        do throws(DamagedCache) {
            return try LibrarySnapshot(decoding: bytes)
        } catch {
            host.log.debug("marvin", "The cached booklist is damaged; rebuilding it.")
            return nil
        }
    }

    /// Keeps a snapshot, and drops the packs that it does not need.
    func save(_ snapshot: LibrarySnapshot) {
        remembered = snapshot
        let saved: Void? = quietly { () throws(OverlayError) in
            try host.storage.write(.cache, Self.booklist, snapshot.encoded())
        }
        guard saved != nil else { return }
        let used = Set(snapshot.entries.compactMap { $0.cover?.stored?.pack }.map(Self.key))
        _ = quietly { () throws(OverlayError) in
            for key in try host.storage.keys(.cache)
            where key.hasPrefix(Self.packPrefix) && !used.contains(key) {
                try host.storage.remove(.cache, key)
            }
        }
    }

    /// The bytes of an image; nil when they are not there, or others.
    func image(_ stored: StoredCover) -> [UInt8]? {
        guard let pack = pack(stored.pack), stored.offset <= UInt64(pack.count),
            stored.length <= UInt64(pack.count) - stored.offset
        else { return nil }
        let bytes = pack[Int(stored.offset)..<Int(stored.offset + stored.length)]
        guard CacheChecksum.of(bytes) == stored.checksum else { return nil }
        return Array(bytes)
    }

    private func pack(_ number: UInt64) -> [UInt8]? {
        if let found = packs.first(where: { $0.number == number }) { return found.bytes }
        guard
            let bytes = quietly({ () throws(OverlayError) in
                try host.storage.read(.cache, Self.key(number))
            }), let bytes
        else { return nil }
        if packs.count >= Self.open { packs.removeFirst() }
        packs.append((number, bytes))
        return bytes
    }

    /// Keeps a pack; false when the host would not.
    func keep(_ bytes: [UInt8], as number: UInt64) -> Bool {
        let kept: Void? = quietly { () throws(OverlayError) in
            try host.storage.write(.cache, Self.key(number), bytes)
        }
        return kept != nil
    }

    /// A number for a pack that no other listing writes, be it of another program at the same time. The host's name of the running
    /// method gives it, so that the same listing, when it is replayed, writes the same.
    func newPack() -> UInt64 {
        do throws(OverlayError) {
            return CacheChecksum.of(Array(try host.calls.name().utf8)[...])
        } catch {
            return UInt64.random(in: 1...UInt64.max)
        }
    }

    /// The key of a pack.
    private static func key(_ number: UInt64) -> String { packPrefix + String(number, radix: 16) }

    /// Does something that the listing can do without.
    func quietly<Value>(_ body: () throws(OverlayError) -> Value) -> Value? {
        do throws(OverlayError) {
            return try body()
        } catch {
            host.log.debug("marvin", "Cannot use the cached booklist: \(error.message)")
            return nil
        }
    }
}
