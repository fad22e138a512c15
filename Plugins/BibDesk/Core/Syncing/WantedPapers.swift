import BibTeX
import BibliographySync
import BookFolders

/// Which papers the person wants on the device, and where they belong there.
final class WantedPapers: PaperMapping {
    private let store: ReferenceStore
    private let places: LinkPlaces
    private let settings: BibDeskSettings
    private let clock: GroupClock
    /// Cite keys and paths that were asked for, without difference of case.
    private let askedFor: Set<String>
    /// Which path of the folder a place belongs to: where all papers are in one folder, two may have one name.
    private var owners: [String: String] = [:]
    /// The paths in the folder that a rule chooses, so that they are not only asked for now.
    private var chosen: Set<String> = []

    private var hasRules: Bool { !settings.syncGroups.isEmpty || !settings.syncFields.isEmpty }

    /// Papers.
    ///
    /// - Parameters:
    ///   - places: how links and papers belong together.
    ///   - askedFor: cite keys, or paths in the folder.
    init(
        _ store: ReferenceStore, _ places: LinkPlaces, _ settings: BibDeskSettings, clock: GroupClock,
        askedFor: [String]
    ) {
        (self.store, self.places, self.settings, self.clock) = (store, places, settings, clock)
        self.askedFor = Set(askedFor.map { TextFolding.caseless($0) })
    }

    var libraryFolder: String { String(store.libraries.folder.dropFirst()) }

    func place(of path: String, _ priority: PaperPriority?) -> PaperPlace? {
        // Paths begin at the folder itself, as the links of a library in it do.
        guard let library = ShelfPath("library.bib"), let place = places.place(of: path, in: library) else {
            return nil
        }
        let target = String(store.papers.path(place).dropFirst())
        let owner = owners[target] ?? path
        owners[target] = owner
        guard owner == path else { return nil }
        if priority == .askedFor, let cache = store.cachedPapers, hasRules,
            !chosen.contains(LinkedPath.normalized(path))
        {
            return PaperPlace(String(cache.path(place).dropFirst()), isPurgeable: true)
        }
        return PaperPlace(target)
    }

    func wanted(_ document: BibTeXDocument, _ library: String) -> [Int: PaperPriority] {
        guard let path = ShelfPath(library) else { return [:] }
        let references = ReferenceLibrary(path, file: nil, document)
        let resolved = references.resolved
        var wanted: [Int: PaperPriority] = [:]
        let groups = hasRules ? LibraryGroups(references, kinds: settings.kinds, clock: clock).groups : []
        var ruled: Set<Int> = []
        let names = Set(settings.syncGroups.map { TextFolding.caseless($0) })
        for group in groups where names.contains(TextFolding.caseless(group.name)) {
            ruled.formUnion(group.entries)
        }
        for index in resolved.entries {
            let block = resolved.block(index)
            if settings.syncFields.contains(where: { FieldKinds.isTrue(resolved.text($0, of: index)) }) {
                ruled.insert(index)
            }
            let asked = [block.key].compactMap { $0 } + block.linkedFiles.compactMap(\.relativePath)
            if asked.contains(where: { askedFor.contains(TextFolding.caseless($0)) }) {
                wanted[index] = .askedFor
            } else if ruled.contains(index) {
                wanted[index] = .rule
            } else if !hasRules {
                wanted[index] = .rest
            }
            guard ruled.contains(index) else { continue }
            for link in block.linkedFiles.compactMap(\.relativePath) {
                chosen.insert(LinkedPath.normalized(path.folder.map { $0.text + "/" + link } ?? link))
            }
        }
        return wanted
    }
}
