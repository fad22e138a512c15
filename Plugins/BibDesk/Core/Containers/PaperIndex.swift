import BibTeX
import BibliographySync
import BookFolders
import OverlayKit

/// The papers in a folder of the device, found by paths that may be spelled in other forms of Unicode.
struct PaperIndex: Sendable {
    private var files: [String: FoundFile] = [:]
    /// The files of each name, for libraries of which the folder in Dropbox is not known.
    private var names: [String: [FoundFile]] = [:]

    /// An index of files.
    init(_ files: [FoundFile] = []) {
        for file in files {
            self.files[Self.key(file.path.text)] = file
            names[Self.key(file.path.name), default: []].append(file)
        }
    }

    /// An index of the papers of an app.
    init(_ host: HostServices, _ store: ReferenceStore) throws(OverlayError) {
        let files = try FolderWalk(host, store.papers).contents().files
        self.init(files.filter { !LibraryName.isLibrary($0.path.name) })
    }

    /// The file at a place; nil if there is none.
    func file(at place: ShelfPath) -> FoundFile? { files[Self.key(place.text)] }

    /// The only file whose path ends with a link's; nil if there is none, or several.
    func onlyFile(endingWith link: String) -> FoundFile? {
        let parts = LinkedPath.normalized(link).split(separator: "/").drop { $0 == ".." }
        guard let name = parts.last else { return nil }
        let ending = Self.key(parts.joined(separator: "/"))
        let fitting = (names[Self.key(String(name))] ?? []).filter {
            let key = Self.key($0.path.text)
            return key == ending || key.hasSuffix("/" + ending)
        }
        return fitting.count == 1 ? fitting[0] : nil
    }

    /// A path in the letters by which paths are compared.
    static func key(_ path: String) -> String { TextFolding.compatible(path) }
}
