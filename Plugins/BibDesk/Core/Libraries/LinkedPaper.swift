import BibTeX
import BibliographySync
import BookFolders
import Platform

/// A file to which an entry links.
struct LinkedPaper: Hashable, Sendable {
    /// The state of a linked file. The raw values are the words in documents for programs.
    enum State: String, Sendable {
        /// The file is on the device.
        case onDevice = "on_device"
        /// The file is not on the device, but its link gives a place for it, and a sync follows the link.
        case canBeSent = "can_be_sent"
        /// The link has no place on the device: it may lead elsewhere or to a hidden file, or have no path.
        case missing
    }

    /// The kind of link.
    enum Link: Hashable, Sendable {
        /// BibDesk's own link, by its index in the list.
        case bibDesk(Int)
        /// A link in the field `file` of other programs, or in the old field `local-url`.
        case foreign
    }

    /// The kind of link.
    let link: Link
    /// The path in the link; nil if it has none.
    let linkedPath: String?
    /// Its place, relative to the folder of papers; nil if none is known.
    let place: ShelfPath?
    /// The file; nil if it is not on the device.
    let file: FoundFile?
    /// Whether the file is in the app's caches.
    let isCached: Bool
    /// Whether a sync follows the link.
    let isFollowed: Bool

    /// The state of the file.
    var state: State { file != nil ? .onDevice : place != nil && isFollowed ? .canBeSent : .missing }

    /// The path to show: that of the file, or else its place, or else the path in the link.
    var path: String? { file?.path.text ?? place?.text ?? linkedPath }
}

/// Finds the files to which entries link.
struct PaperFinder: Sendable {
    /// Maps links to places.
    let places: LinkPlaces
    /// The files in the folder of papers.
    let papers: PaperIndex
    /// The files in the app's caches.
    let cached: PaperIndex
    /// The path that owns each file on the device if several links lead to it.
    private var owners: [String: String] = [:]

    /// Creates a finder for these places and files.
    init(places: LinkPlaces, papers: PaperIndex, cached: PaperIndex) {
        (self.places, self.papers, self.cached) = (places, papers, cached)
    }

    /// Records which link owns each file on the device. If several paths lead to one file, as paths with the same
    /// name do in a flat folder, the first in order owns it.
    ///
    /// - Parameter library: a library at the top of the folder of libraries, or in any folder if all papers are in
    ///   one.
    mutating func noteOwners(_ library: ReferenceLibrary) {
        for link in library.resolved.entries.flatMap({ library.resolved.block($0).linkedPaths }) {
            let path = places.path(of: link)
            guard PaperPath.isFollowed(path), let key = Self.key(anyLocation(of: path, in: library.path))
            else { continue }
            owners[key] = owners[key].map { min($0, path) } ?? path
        }
    }

    private typealias Location = (place: ShelfPath?, file: FoundFile?)

    /// A unique key of a file on the device.
    private static func key(_ location: Location) -> String? {
        (location.file?.path ?? location.place).map { PaperIndex.key($0.text) }
    }

    /// The place of a link's paper, relative to the folder of papers; nil if the app cannot have it.
    func place(of path: String, in library: ShelfPath) -> ShelfPath? {
        let found = location(of: path, in: library)
        return found.file?.path ?? found.place
    }

    /// The location of a link's paper, unless another link owns it.
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
            // The first version of the app kept all papers next to their library.
            file = ShelfPath(library.folder, name).flatMap { papers.file(at: $0) }
        }
        return (place, file)
    }

    /// The linked files of an entry, in order: those of BibDesk, or else those of other programs.
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
        // For a link from another computer, the place that its root gives it counts.
        let followed = path.map { $0.isAbsolutePath ? place?.text ?? $0 : LinkedPath.normalized($0) }
        return LinkedPaper(
            link: link, linkedPath: path, place: place, file: file ?? cachedFile, isCached: cachedFile != nil,
            isFollowed: followed.map(PaperPath.isFollowed) ?? false)
    }
}
