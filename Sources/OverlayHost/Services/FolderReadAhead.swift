import OverlayABI

/// Names in folders that an overlay is about to ask for, one folder after the other.
///
/// A walk asks what the entries of a folder are, and then for the names in each folder among them. AFC has no listing of many
/// folders, and each would cost a round trip. So with the first of them some more are asked for, all at once, and more and
/// more of them as the overlay goes on. The overlay sees names that the device has given after it told of the folders, and
/// that have come at most a second ago; they are given once, and not after the overlay has changed anything. Lives as long
/// as a method.
struct FolderReadAhead {
    /// How long names count.
    static let lifetime = Duration.seconds(1)
    /// Folders that are asked for beside the first one.
    private static let first = 8
    /// Folders that are asked for at once.
    private static let most = 64
    /// Folders that are remembered.
    private static let longest = 65_536

    private var root: UInt32?
    /// Folders that the overlay was told of, in their order.
    private var folders: [String] = []
    /// Where in that order.
    private var places: [String: Int] = [:]
    private var names: [String: (names: [String], at: ContinuousClock.Instant)] = [:]
    private var window = first
    /// Whether the overlay has listed any of them: what it asks about next is another depth.
    private var isListing = false

    /// Forgets everything, because the overlay changes something.
    mutating func clear() { self = FolderReadAhead() }

    /// The overlay is told that these paths are folders.
    mutating func found(_ found: [String], in root: UInt32) {
        if isListing || root != self.root { clear() }
        self.root = root
        for folder in found.prefix(Self.longest - folders.count) where places[folder] == nil {
            places[folder] = folders.count
            folders.append(folder)
        }
    }

    /// The names in a folder, if they have been asked for a moment ago.
    mutating func take(_ folder: String, in root: UInt32, at now: ContinuousClock.Instant) -> [String]? {
        guard root == self.root, let known = names.removeValue(forKey: folder), now - known.at < Self.lifetime
        else { return nil }
        return known.names
    }

    /// The folders that are worth asking for together with one; none if it stands alone.
    mutating func companions(of folder: String, in root: UInt32) -> [String] {
        guard root == self.root, let place = places[folder] else { return [] }
        let next = folders[(place + 1)...].prefix(window)
        window = min(window * 2, Self.most)
        isListing = true
        return Array(next)
    }

    /// Keeps names until they are asked for.
    mutating func keep(_ names: [String], of folder: String, at now: ContinuousClock.Instant) {
        self.names[folder] = (names, now)
    }
}
