import BibTeX
import BibliographySync
import BookFolders
import OverlayKit
import Platform

/// The papers in a folder of the device. Paths are found in any Unicode form.
struct PaperIndex: Sendable {
    private var files: [String: FoundFile] = [:]
    /// The files by name, for libraries whose folder in Dropbox is not known.
    private var names: [String: [FoundFile]] = [:]

    /// Creates an index of files.
    init(_ files: [FoundFile] = []) {
        for file in files {
            self.files[Self.key(file.path.text)] = file
            names[Self.key(file.path.name), default: []].append(file)
        }
    }

    /// Creates an index of the papers of an app.
    init(_ host: HostServices, _ store: ReferenceStore) throws(OverlayError) {
        let files = try FolderWalk(host, store.papers).contents().files
        self.init(files.filter { !LibraryName.isLibrary($0.path.name) })
    }

    /// The file at a place; nil if there is none.
    func file(at place: ShelfPath) -> FoundFile? { files[Self.key(place.text)] }

    /// The only file whose path ends with the path of a link; nil if there is none or several.
    func onlyFile(endingWith link: String) -> FoundFile? {
        let parts = Self.key(LinkedPath.normalized(link)).pathNames.drop { $0 == ".." }
        guard let name = parts.last else { return nil }
        let fitting = (names[String(name)] ?? []).filter {
            Self.key($0.path.text).pathNames.suffix(parts.count).elementsEqual(parts)
        }
        return fitting.count == 1 ? fitting[0] : nil
    }

    /// The key by which paths are compared.
    static func key(_ path: String) -> String { TextFolding.compatible(path) }
}
