import BibTeX
import BookFolders
import OverlayKit

/// The references on a device as books, each with a unique path.
struct ReferenceList {
    /// The libraries that contain them.
    let device: DeviceLibraries
    /// All references in the order of the libraries, including those that are not listed.
    let books: [ReferenceBook]

    /// The references of all libraries.
    init(_ device: DeviceLibraries) {
        self.device = device
        var taken: Set<String> = []
        var books: [ReferenceBook] = []
        for library in device.libraries {
            for (entry, name) in library.entryNames() {
                let papers = device.finder.papers(of: entry, in: library)
                // Two entries may link to the same paper, and a paper may be named like an entry.
                let paths = papers.compactMap { $0.file?.path.text } + [name.text]
                let path = paths.first { !taken.contains($0) } ?? "\(name.text)#"
                taken.insert(path)
                books.append(
                    ReferenceBook(library: library, entry: entry, name: name, papers: papers, path: path))
            }
        }
        self.books = books
    }

    /// The references, by the paths of their books.
    func byPath() -> [String: ReferenceBook] {
        Dictionary(books.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a reference is listed as a book: it has a paper that is on the device or can be sent, or the settings
    /// ask for all references.
    static func isListed(_ book: ReferenceBook, _ settings: BibDeskSettings) -> Bool {
        settings.listsAll || book.papers.contains { $0.state != .missing }
    }
}
