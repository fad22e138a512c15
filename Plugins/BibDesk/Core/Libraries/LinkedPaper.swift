import BibTeX
import BookFolders

/// A file that an entry links to.
struct LinkedPaper: Hashable, Sendable {
    /// Where a linked file is, by the words of the documents for programs.
    enum State: String, Sendable {
        /// It is on the device.
        case onDevice = "on_device"
        /// It is not, and its link says where it belongs.
        case canBeSent = "can_be_sent"
        /// No place on the device belongs to its link, which may lead elsewhere or have no path at all.
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

    /// Where it is.
    var state: State { file != nil ? .onDevice : place != nil ? .canBeSent : .missing }

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
        let place = path.flatMap { places.place(of: $0, in: library.path) }
        var file = place.flatMap { papers.file(at: $0) }
        if file == nil, places.layout == .linkedFiles, places.dropboxFolder == nil, let path {
            file = papers.onlyFile(endingWith: path)
        }
        if file == nil, places.layout == .documents, let name = place?.name {
            // The first app had all papers beside their library.
            file = ShelfPath(library.path.folder, name).flatMap { papers.file(at: $0) }
        }
        let cachedFile = file == nil ? place.flatMap { cached.file(at: $0) } : nil
        return LinkedPaper(
            link: link, linkedPath: path, place: place, file: file ?? cachedFile, isCached: cachedFile != nil)
    }
}
