import BookFolders
import OverlayKit
import Platform

/// The host's cache between two listings: one document with the findings, the books in parts, and the images in packs.
///
/// The cache is not essential. Anything that cannot be read or is damaged counts as missing, and without storage every
/// listing is like the first. The host keeps the files of each device and app separately.
final class BooklistCache {
    /// The preference that enables it.
    static let preference = "booklist_caching"
    private static let packPrefix = "covers-"
    private static let partPrefix = "books-"
    /// The books in a part: few enough that a library is not in memory twice while it is saved.
    private static let booksOfPart = 4096
    /// The approximate size of a pack in bytes: small enough that the device still has requests to answer while the
    /// host writes one.
    static let packSize = 1 << 20
    /// The most bytes of images that are stored for one app.
    static let mostImages = 512 << 20
    /// How many packs are kept in memory while images are read.
    private static let open = 3

    let host: HostServices
    private let booklist: ListingCache
    private var remembered: LibrarySnapshot?
    private var packs: [(number: UInt64, bytes: [UInt8])] = []

    init(_ host: HostServices) {
        self.host = host
        booklist = ListingCache(host, key: "booklist", version: 6, category: "marvin")
    }

    /// Whether the user has enabled it.
    func isOn() throws(OverlayError) -> Bool { try host.prefs.bool(Self.preference, default: true) }

    /// Discards what is in memory.
    func forget() {
        remembered = nil
        packs = []
    }

    /// The last snapshot of the library at these paths; nil if there is none that can be used.
    func load(_ paths: MarvinPaths) throws(OverlayError) -> LibrarySnapshot? {
        guard try isOn() else { return nil }
        let found = remembered ?? booklist.loadDocument().flatMap(sound)
        return found.flatMap { $0.state.isOf(paths) ? $0 : nil }
    }

    /// Saves a snapshot and deletes the packs that it does not need.
    func save(_ snapshot: LibrarySnapshot) {
        remembered = snapshot
        var parts: [String] = []
        for start in stride(from: 0, to: snapshot.books.count, by: Self.booksOfPart) {
            let part = snapshot.books.packed(start..<min(start + Self.booksOfPart, snapshot.books.count))
            let kept: Void? = quietly { () throws(OverlayError) in
                try host.storage.write(.cache, Self.partKey(parts.count), part)
            }
            guard kept != nil, let checksum = ListingCache.checksum(part[...]) else { return }
            parts.append(checksum)
        }
        guard booklist.saveDocument(snapshot.saved.document(parts: parts)) else { return }
        let used = Set(snapshot.files.compactMap { $0.cover?.stored?.pack }.map(Self.key))
            .union(parts.indices.map(Self.partKey))
        _ = quietly { () throws(OverlayError) in
            for key in try host.storage.keys(.cache)
            where (key.hasPrefix(Self.packPrefix) || key.hasPrefix(Self.partPrefix)) && !used.contains(key) {
                try host.storage.remove(.cache, key)
            }
        }
    }

    /// The key of a part.
    private static func partKey(_ number: Int) -> String { "\(partPrefix)\(number)" }

    /// The part with this number; nil if it is missing, damaged or from another listing.
    private func part(_ number: Int, _ checksum: String) -> [UInt8]? {
        let found = quietly { () throws(OverlayError) in
            try host.storage.read(.cache, Self.partKey(number))
        }
        guard let bytes = found ?? nil, ListingCache.checksum(bytes[...]) == checksum else { return nil }
        return bytes
    }

    // MARK: - The copy on the device

    /// A snapshot as a file for another computer; nil if it cannot be sealed.
    func file(of snapshot: LibrarySnapshot) -> [UInt8]? { booklist.sealed(snapshot.withoutImages.document()) }

    /// The snapshot in such a file; nil if it is damaged.
    func snapshot(in file: [UInt8]) -> LibrarySnapshot? {
        booklist.opened(file).flatMap { LibrarySnapshot(document: $0) }.flatMap { $0.isSound ? $0 : nil }?
            .withoutImages
    }

    private func sound(_ document: [UInt8]) -> LibrarySnapshot? {
        LibrarySnapshot(document: document, part: part).flatMap { $0.isSound ? $0 : nil }
    }

    // MARK: - Images

    /// The bytes of an image; nil if they are missing or damaged.
    func image(_ stored: StoredCover) -> [UInt8]? {
        guard let pack = pack(stored.pack), stored.offset <= UInt64(pack.count),
            stored.length <= UInt64(pack.count) - stored.offset
        else { return nil }
        let bytes = pack[Int(stored.offset)..<Int(stored.offset + stored.length)]
        guard ListingCache.checksum(bytes) == stored.checksum else { return nil }
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

    /// Stores a pack; false if the host did not store it.
    func keep(_ bytes: [UInt8], as number: UInt64) -> Bool {
        let kept: Void? = quietly { () throws(OverlayError) in
            try host.storage.write(.cache, Self.key(number), bytes)
        }
        return kept != nil
    }

    /// A number for a pack that other listings do not use, even in another program at the same time. It is derived from
    /// the host's name of the running method, so that a replayed listing writes the same packs.
    func newPack() -> UInt64 {
        do throws(OverlayError) {
            return FNV1a.of(try host.calls.name().utf8)
        } catch {
            return UInt64.random(in: 1...UInt64.max)
        }
    }

    /// The key of a pack.
    private static func key(_ number: UInt64) -> String { packPrefix + String(number, radix: 16) }

    /// Does something that is not essential for the listing.
    private func quietly<Value>(_ body: () throws(OverlayError) -> Value) -> Value? {
        do throws(OverlayError) {
            return try body()
        } catch {
            host.log.debug("marvin", "Cannot use the cached books or covers: \(error.message)")
            return nil
        }
    }
}

/// Collects the images of a listing into packs.
struct CoverPacks {
    private let cache: BooklistCache
    private var number: UInt64
    private var bytes: [UInt8] = []
    private var left: Int
    /// Packs that the host did not store.
    private(set) var lost: Set<UInt64> = []

    /// - Parameter kept: the bytes of images that are already stored.
    init(_ cache: BooklistCache, kept: Int) {
        self.cache = cache
        number = cache.newPack()
        left = BooklistCache.mostImages - kept
    }

    /// Adds an image; nil if it does not fit.
    mutating func add(_ image: [UInt8]) -> StoredCover? {
        guard image.count <= left, let checksum = ListingCache.checksum(image[...]) else { return nil }
        left -= image.count
        let stored = StoredCover(
            pack: number, offset: UInt64(bytes.count), length: UInt64(image.count), checksum: checksum)
        if bytes.isEmpty { bytes.reserveCapacity(BooklistCache.packSize + (64 << 10)) }
        bytes += image
        if bytes.count >= BooklistCache.packSize { finish() }
        return stored
    }

    /// Stores what has been collected.
    mutating func finish() {
        guard !bytes.isEmpty else { return }
        if !cache.keep(bytes, as: number) { lost.insert(number) }
        bytes.removeAll(keepingCapacity: true)
        number = number &+ 1
    }
}
