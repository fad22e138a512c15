import BibTeX
import BibliographySync
import BookFolders
import Platform

/// Decides which papers the user wants on the device, and their places there.
final class WantedPapers: PaperMapping {
    private let device: DeviceSide
    private var finder: PaperFinder
    private let rules: PaperRules
    private let clock: GroupClock
    /// The requested cite keys and paths as they were written, by their forms without differences of case.
    private let askedFor: [String: String]
    /// The requested names, in these forms, that a reference has.
    private var found: Set<String> = []
    /// The device's folders of papers.
    private var listings: PaperListings
    /// The paths in the folder that a rule selects, so that they are not wanted only because they were requested.
    private var chosen: Set<String> = []
    /// Rules that select nothing because a library does not have the group, or its conditions cannot be evaluated;
    /// one sentence each.
    private(set) var remarks: [String] = []

    /// The wanted papers.
    ///
    /// - Parameters:
    ///   - finder: finds papers by links.
    ///   - askedFor: cite keys, or links as they are in the library.
    init(
        _ device: DeviceSide, _ finder: PaperFinder, _ rules: PaperRules, clock: GroupClock,
        askedFor: [String]
    ) {
        (self.device, self.finder, self.rules, self.clock) = (device, finder, rules, clock)
        self.askedFor = Dictionary(
            askedFor.map { (TextFolding.caseless($0), $0) }, uniquingKeysWith: { first, _ in first })
        listings = PaperListings(device)
    }

    /// The requested names that are not in any reference. Valid after the plan was made.
    var unknown: [String] {
        askedFor.filter { !found.contains($0.key) }.values.sorted()
    }

    var libraryFolder: String { String(device.store.libraries.folder.withoutFirstSlashes) }

    func path(of link: String) -> String { finder.places.path(of: link) }

    func place(of path: String, _ priority: PaperPriority?) -> PaperPlace? {
        // Paths are relative to the folder, like the links of a library in it.
        guard let library = ShelfPath("library.bib"), let place = finder.place(of: path, in: library) else {
            return nil
        }
        let target = String(device.store.papers.path(place).withoutFirstSlashes)
        // A paper that is already on the device is replaced in place. A second copy would later look like another
        // version.
        if priority == .askedFor, rules.areSet, !chosen.contains(LinkedPath.normalized(path)),
            !isOnDevice(path), let cache = device.store.cachedPapers
        {
            return PaperPlace(String(cache.path(place).withoutFirstSlashes), isPurgeable: true)
        }
        return PaperPlace(target)
    }

    func wanted(_ document: BibTeXDocument, _ library: String) -> [Int: PaperPriority] {
        guard let path = ShelfPath(library) else { return [:] }
        let references = ReferenceLibrary(path, file: nil, document)
        finder.noteOwners(references)
        let choice = rules.choice(of: references, clock: clock)
        if rules.areSet, !choice.unknownGroups.isEmpty {
            remarks.append(
                "The library '\(library)' has no group that can be evaluated and is named "
                    + choice.unknownGroups.map { "'\($0)'" }.joined(separator: " or ")
                    + ". Its papers on the device stay.")
        }
        var wanted: [Int: PaperPriority] = [:]
        for index in references.resolved.entries {
            let block = references.resolved.block(index)
            let links = block.linkedPaths
            let paths = links.map { LinkedPath.normalized(self.path(of: $0)) }
            if rules.areSet, choice.entries.contains(index) { chosen.formUnion(paths) }
            let asked = ([block.key].compactMap { $0 } + links).map(TextFolding.caseless).filter {
                askedFor[$0] != nil
            }
            found.formUnion(asked)
            if !asked.isEmpty {
                wanted[index] = .askedFor
            } else if choice.entries.contains(index) {
                wanted[index] = rules.areSet ? .rule : .rest
            } else if !choice.unknownGroups.isEmpty, paths.contains(where: isOnDevice) {
                wanted[index] = .rest
            }
        }
        return wanted
    }

    private func isOnDevice(_ path: String) -> Bool {
        guard let library = ShelfPath("library.bib"), let place = finder.place(of: path, in: library) else {
            return false
        }
        do throws(BibliographySyncError) {
            let path = String(device.store.papers.path(place).withoutFirstSlashes)
            if case .absent = try listings.state(of: path) {
                return false
            }
            return true
        } catch {
            // The run finds the same error again later and reports it. Until then, nothing is removed.
            return true
        }
    }
}
