import OverlayKit

/// Collects the images of a listing into packs.
struct CoverPacks {
    private let cache: BooklistCache
    private var number: UInt64
    private var bytes: [UInt8] = []
    private var left: Int
    /// Packs that the host would not keep.
    private(set) var lost: Set<UInt64> = []

    /// - Parameter kept: bytes of images that are kept already.
    init(_ cache: BooklistCache, kept: Int) {
        self.cache = cache
        number = cache.newPack()
        left = BooklistCache.mostImages - kept
    }

    /// Takes an image; nil: there is no room for it.
    mutating func add(_ image: [UInt8]) -> StoredCover? {
        guard image.count <= left else { return nil }
        left -= image.count
        let stored = StoredCover(
            pack: number, offset: UInt64(bytes.count), length: UInt64(image.count),
            checksum: CacheChecksum.of(image[...]))
        if bytes.isEmpty { bytes.reserveCapacity(BooklistCache.packSize + (64 << 10)) }
        bytes += image
        if bytes.count >= BooklistCache.packSize { finish() }
        return stored
    }

    /// Keeps what has been collected.
    mutating func finish() {
        guard !bytes.isEmpty else { return }
        if !cache.keep(bytes, as: number) { lost.insert(number) }
        bytes.removeAll(keepingCapacity: true)
        number = number &+ 1
    }
}
