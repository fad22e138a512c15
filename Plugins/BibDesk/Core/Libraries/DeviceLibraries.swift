import BibTeX
import BibliographySync
import BookFolders
import OverlayKit

/// All libraries on the device and their papers, as they were at one moment.
struct DeviceLibraries {
    /// The largest library that is read, in bytes.
    static let largestLibrary = 64 << 20
    /// The most bytes of libraries that are read in total.
    private static let largestSum = 256 << 20
    /// The most libraries that are read.
    private static let most = 500

    /// The app's folders.
    let store: ReferenceStore
    /// The libraries that could be read, sorted by path.
    var libraries: [ReferenceLibrary] = []
    /// Finds the papers of their entries.
    var finder: PaperFinder
    /// The names in use in the folder of papers.
    var taken = TakenNames()
    /// What was left out and why, one sentence each.
    var remarks: [String] = []
    /// The parts of a library that programs read in different ways, such as a macro without a definition; one
    /// sentence each.
    var notices: [String] = []

    /// Reads the libraries.
    ///
    /// A library that cannot be read gives a remark, and the others are read.
    ///
    /// - Parameters:
    ///   - settings: the user's settings.
    static func read(_ host: HostServices, _ settings: BibDeskSettings) throws(OverlayError)
        -> DeviceLibraries
    {
        let store = try ReferenceStore.find(host)
        let shelf = try FolderWalk(host, store.libraries).contents()
        var papers = shelf
        if store.layout == .linkedFiles { papers = try FolderWalk(host, store.papers).contents() }
        let cached = try store.cachedPapers.map { place throws(OverlayError) in
            try FolderWalk(host, place).contents().files
        }
        let folder = store.layout == .linkedFiles ? try AppSettings.dropboxFolder(host) : nil
        var result = DeviceLibraries(
            store: store,
            finder: PaperFinder(
                places: LinkPlaces(store.layout, dropboxFolder: folder, roots: settings.linkRoots),
                papers: PaperIndex(papers.files.filter { !LibraryName.isLibrary($0.path.name) }),
                cached: PaperIndex(cached ?? [])))
        result.taken = TakenNames(papers)
        result.remarks = shelf.remarks
        try result.readLibraries(shelf.files.filter { LibraryName.isLibrary($0.path.name) }, host, settings)
        if store.layout == .flat { for library in result.libraries { result.finder.noteOwners(library) } }
        return result
    }

    private mutating func readLibraries(
        _ files: [FoundFile], _ host: HostServices, _ settings: BibDeskSettings
    ) throws(OverlayError) {
        var sum: UInt64 = 0
        for file in files {
            try host.cancellation.check()
            sum = sum.addingReportingOverflow(file.size).partialValue
            guard libraries.count < Self.most, file.size <= Self.largestLibrary, sum <= Self.largestSum else {
                remarks.append(
                    "The library '\(file.path)' is too large, or there are too many. It was left out.")
                continue
            }
            do throws(OverlayError) {
                let bytes = try host.transport.readAll(
                    store.root, store.libraries.path(file.path), limit: Self.largestLibrary)
                let document = BibTeXDocument(bytes, fallback: settings.fallbackEncoding)
                if let problem = document.problems(.error).first {
                    remarks.append(
                        "The library '\(file.path)' is damaged at \(problem) What can be read of it is listed."
                    )
                }
                noteWarnings(document.problems(.warning), in: file.path)
                libraries.append(ReferenceLibrary(file.path, file: file, document))
            } catch {
                if error.endsTheCall { throw error }
                remarks.append("Cannot read the library '\(file.path)': \(error.message)")
            }
        }
    }

    private mutating func noteWarnings(_ warnings: [BibTeXProblem], in path: ShelfPath) {
        guard let first = warnings.first else { return }
        let others = warnings.count > 1 ? " There are \(warnings.count - 1) more places like this." : ""
        notices.append("Programs may read the library '\(path)' differently at \(first)\(others)")
    }

    /// The library at a path, regardless of case; nil if there is none.
    func library(named path: ShelfPath) -> ReferenceLibrary? {
        libraries.first { BookName.key($0.path.text) == BookName.key(path.text) }
    }
}
