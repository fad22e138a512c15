import BibTeX
import BibliographySync
import BookFolders
import Platform

/// A file that an entry links to.
struct LinkedPaper: Hashable, Sendable {
    /// Where a linked file is, by the words of the documents for programs.
    enum State: String, Sendable {
        /// It is on the device.
        case onDevice = "on_device"
        /// It is not, its link says where it belongs, and a sync follows the link.
        case canBeSent = "can_be_sent"
        /// No place on the device belongs to its link, which may lead elsewhere, to a hidden file, or have no path at all.
        case missing
    }

    /// What the link is.
    enum Link: Hashable, Sendable {
        /// BibDesk's own, by its place in the list.
        case bibDesk(Int)
        /// One of the field `file` of other programs, or of the old field `local-url`.
        case foreign
    }

    /// What the link is.
    let link: Link
    /// The path in the link; nil if it has none.
    let linkedPath: String?
    /// Where it belongs, below the folder of papers; nil if no place is known.
    let place: ShelfPath?
    /// The file; nil if it is not on the device.
    let file: FoundFile?
    /// Whether the file is in the app's caches.
    let isCached: Bool
    /// Whether a sync follows the link.
    let isFollowed: Bool

    /// Where it is.
    var state: State { file != nil ? .onDevice : place != nil && isFollowed ? .canBeSent : .missing }

    /// Its path for people and programs: that of the file, else where it belongs, else what the link says.
    var path: String? { file?.path.text ?? place?.text ?? linkedPath }
}

/// Finds the files that entries link to.
struct PaperFinder: Sendable {
    /// How links and papers belong together.
    let places: LinkPlaces
    /// What is in the folder of papers.
    let papers: PaperIndex
    /// What is in the app's caches.
    let cached: PaperIndex
    /// The paths to which the files on the device belong, where several links lead to one file.
    private var owners: [String: String] = [:]

    /// Finds papers.
    init(places: LinkPlaces, papers: PaperIndex, cached: PaperIndex) {
        (self.places, self.papers, self.cached) = (places, papers, cached)
    }

    /// Notes whose papers those on the device are: of several paths that lead to one file, as paths with one name do in a flat
    /// folder, the first in order has it.
    ///
    /// - Parameter library: a library in the folder of libraries itself, or in any folder if all papers are in one.
    mutating func noteOwners(_ library: ReferenceLibrary) {
        for link in library.resolved.entries.flatMap({ library.resolved.block($0).linkedPaths }) {
            let path = places.path(of: link)
            guard PaperPath.isFollowed(path), let key = Self.key(anyLocation(of: path, in: library.path))
            else { continue }
            owners[key] = owners[key].map { min($0, path) } ?? path
        }
    }

    private typealias Location = (place: ShelfPath?, file: FoundFile?)

    /// What tells files on the device apart.
    private static func key(_ location: Location) -> String? {
        (location.file?.path ?? location.place).map { PaperIndex.key($0.text) }
    }

    /// Where the paper of a link is, or where it belongs, below the folder of papers; nil if the app cannot have it.
    func place(of path: String, in library: ShelfPath) -> ShelfPath? {
        let found = location(of: path, in: library)
        return found.file?.path ?? found.place
    }

    /// Where the paper of a link is, unless it belongs to another link.
    private func location(of path: String, in library: ShelfPath) -> Location {
        let location = anyLocation(of: path, in: library)
        guard let key = Self.key(location), let owner = owners[key],
            owner != places.path(of: LinkedPath.normalized(path))
        else { return location }
        return (nil, nil)
    }

    private func anyLocation(of path: String, in library: ShelfPath) -> Location {
        let place = places.place(of: path, in: library)
        var file = place.flatMap { papers.file(at: $0) }
        if file == nil, places.layout == .linkedFiles, places.dropboxFolder == nil {
            file = papers.onlyFile(endingWith: path)
        }
        if file == nil, places.layout == .documents, let name = place?.name {
            // The first app had all papers beside their library.
            file = ShelfPath(library.folder, name).flatMap { papers.file(at: $0) }
        }
        return (place, file)
    }

    /// The linked files of an entry, in order: those of BibDesk, else those of other programs.
    func papers(of entry: Int, in library: ReferenceLibrary) -> [LinkedPaper] {
        let block = library.resolved.block(entry)
        let own = block.linkedFiles.enumerated().map { place, link in
            paper(.bibDesk(place), link.relativePath, in: library)
        }
        guard own.isEmpty else { return own }
        return block.foreignLinks.map { paper(.foreign, $0.path, in: library) }
    }

    private func paper(_ link: LinkedPaper.Link, _ path: String?, in library: ReferenceLibrary) -> LinkedPaper
    {
        let (place, file) = path.map { location(of: $0, in: library.path) } ?? (nil, nil)
        let cachedFile = file == nil ? place.flatMap { cached.file(at: $0) } : nil
        // A link of another computer counts by the place that its root gives it.
        let followed = path.map { $0.isAbsolutePath ? place?.text ?? $0 : LinkedPath.normalized($0) }
        return LinkedPaper(
            link: link, linkedPath: path, place: place, file: file ?? cachedFile, isCached: cachedFile != nil,
            isFollowed: followed.map(PaperPath.isFollowed) ?? false)
    }
}
