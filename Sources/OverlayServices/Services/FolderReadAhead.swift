import OverlayABI

/// Names in folders that an overlay is about to ask for, one folder after the other.
///
/// A walk asks what the entries of a folder are, and then for the names in each folder among them. AFC has no listing of many
/// folders, and each would cost a round trip. So with the first of them some more are asked for, all at once, and more and
/// more of them as long as the overlay uses them all; fewer and fewer if it does not come for them in time. The overlay sees
/// names that the device has given after it told of the folders, and that have come at most a second ago; they are given once,
/// and not after the overlay has changed anything. Lives as long as a method.
struct FolderReadAhead {
    /// How long names count.
    static let lifetime = Duration.seconds(1)
    /// The most names that are kept, and their bytes; names beyond either are requested when they are needed.
    static let (mostNames, mostBytes) = (100_000, 8 << 20)
    /// Folders that are asked for beside the first one.
    private static let first = 8
    /// Folders that are asked for at once.
    private static let most = 64
    /// Folders that are remembered.
    private static let longest = 65_536

    private struct Listing {
        let names: [String]
        let bytes: Int
        let came: ContinuousClock.Instant
    }

    private var root: UInt32?
    /// Folders that the overlay was told of, in their order.
    private var folders: [String] = []
    /// Where in that order.
    private var places: [String: Int] = [:]
    /// Folders of which the overlay has had the names.
    private var given: Set<String> = []
    private var held: [String: Listing] = [:]
    private var (heldNames, heldBytes) = (0, 0)
    private var window = first
    /// Whether names were kept since the window was last looked at, and whether some were asked for in vain.
    private var (hasKept, hasWasted) = (false, false)
    /// Whether the overlay has listed any of them; then it asks about the next depth.
    private var isListing = false

    /// Forgets everything, because the overlay changes something.
    mutating func clear() { self = FolderReadAhead() }

    /// The overlay learns that these paths are folders.
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

    /// The names in a folder, if they have been asked for a moment ago.
    mutating func take(_ folder: String, in root: UInt32, at now: ContinuousClock.Instant) -> [String]? {
        guard root == self.root else { return nil }
        dropExpired(now)
        guard let listing = remove(folder) else { return nil }
        given.insert(folder)
        return listing.names
    }

    /// The folders that are worth asking for together with one that the overlay asks for now; none if it stands alone.
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

    /// Keeps names until they are asked for, if they are not too many.
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
