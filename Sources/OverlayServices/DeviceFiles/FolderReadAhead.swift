import OverlayABI

/// Requests the names in folders in advance, if an overlay will probably ask for them one folder after the other.
///
/// An overlay that walks a folder tree asks for the types of a folder's entries, and then for the names in each
/// subfolder. AFC cannot list several folders in one request, so each subfolder would cost a round trip. Therefore
/// the first listing also requests those of some more folders at the same time. Their number grows while the overlay
/// uses all of them, and shrinks if it does not use them in time. The overlay only gets names that the device sent
/// after the overlay learned about the folders, and that are at most a second old. They are used once, and not after
/// the overlay has changed something. Valid during one method.
struct FolderReadAhead {
    /// The time for which names are valid.
    static let lifetime = Duration.seconds(1)
    /// The largest number of names that are kept, and their bytes. Other names are requested when needed.
    static let (mostNames, mostBytes) = (100_000, 8 << 20)
    /// The number of folders that are first requested in advance.
    private static let first = 8
    /// The largest number of folders that are requested together.
    private static let most = 64
    /// The largest number of known folders.
    private static let longest = 65_536

    private struct Listing {
        let names: [String]
        let bytes: Int
        let came: ContinuousClock.Instant
    }

    private var root: UInt32?
    /// Folders about which the overlay has learned, in their order.
    private var folders: [String] = []
    /// The positions of the folders in that order.
    private var places: [String: Int] = [:]
    /// Folders whose names the overlay has received.
    private var given: Set<String> = []
    private var held: [String: Listing] = [:]
    private var (heldNames, heldBytes) = (0, 0)
    private var window = first
    /// Whether names were kept since the window was last adjusted, and whether some were requested in vain.
    private var (hasKept, hasWasted) = (false, false)
    /// Whether the overlay has listed a folder of this depth. The next folders that it finds belong to the next
    /// depth.
    private var isListing = false

    /// Discards everything, because the overlay changes something.
    mutating func clear() { self = FolderReadAhead() }

    /// Records that the overlay has learned that these paths are folders.
    mutating func found(_ found: [String], in root: UInt32) {
        if isListing || root != self.root {
            var next = FolderReadAhead()
            (next.window, next.hasKept) = (window, hasKept)
            next.hasWasted = hasWasted || !held.isEmpty
            self = next
        }
        self.root = root
        for folder in found.prefix(Self.longest - folders.count) where places[folder] == nil {
            places[folder] = folders.count
            folders.append(folder)
        }
    }

    /// The names in a folder, if they were requested in advance and are still valid.
    mutating func take(_ folder: String, in root: UInt32, at now: ContinuousClock.Instant) -> [String]? {
        guard root == self.root else { return nil }
        dropExpired(now)
        guard let listing = remove(folder) else { return nil }
        given.insert(folder)
        return listing.names
    }

    /// The folders to request together with one that the overlay requests now; may be empty.
    mutating func companions(
        of folder: String, in root: UInt32, at now: ContinuousClock.Instant
    ) -> [String] {
        guard root == self.root, let place = places[folder] else { return [] }
        isListing = true
        given.insert(folder)
        dropExpired(now)
        if hasWasted {
            window /= 2
        } else if hasKept, held.isEmpty {
            window = min(window * 2, Self.most)
        }
        (hasKept, hasWasted) = (false, false)
        var next: [String] = []
        for other in folders[(place + 1)...] where !given.contains(other) && held[other] == nil {
            guard next.count < window else { break }
            next.append(other)
        }
        return next
    }

    /// Keeps names until they are needed, if there are not too many.
    mutating func keep(_ names: [String], of folder: String, at now: ContinuousClock.Instant) {
        let bytes = names.reduce(0) { $0 + $1.utf8.count }
        guard names.count <= Self.mostNames - heldNames, bytes <= Self.mostBytes - heldBytes else {
            hasWasted = true
            return
        }
        _ = remove(folder)
        held[folder] = Listing(names: names, bytes: bytes, came: now)
        heldNames += names.count
        heldBytes += bytes
        hasKept = true
    }

    private mutating func dropExpired(_ now: ContinuousClock.Instant) {
        for (folder, listing) in held where now - listing.came >= Self.lifetime {
            _ = remove(folder)
            hasWasted = true
        }
    }

    private mutating func remove(_ folder: String) -> Listing? {
        guard let listing = held.removeValue(forKey: folder) else { return nil }
        heldNames -= listing.names.count
        heldBytes -= listing.bytes
        return listing
    }
}
