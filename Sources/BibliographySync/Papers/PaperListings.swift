import BibTeX

/// The folders of papers as one side lists them, each listed once and only when a paper in it is asked for.
struct PaperListings {
    /// What is known of a path.
    enum Sight {
        /// There is a file, at this path.
        case present(BibliographyFile, path: String)
        /// Its folder was listed, and does not have it.
        case absent
        /// Its folder cannot be listed, or something else than a file is there.
        case unknown(BibliographySyncError)
    }

    private enum Listing {
        /// Files by their names, and by their names in composed form.
        case files([String: BibliographyFile], composed: [String: BibliographyFile])
        case failed(BibliographySyncError)
    }

    private let folder: any BibliographyFolder
    private var listings: [String: Listing] = [:]

    init(_ folder: any BibliographyFolder) { self.folder = folder }

    /// What is known of a path. A name counts in the form in which a Mac writes it, too.
    mutating func sight(_ path: String) throws(BibliographySyncError) -> Sight {
        let (parent, name) = Self.split(path)
        switch try listing(parent) {
        case .failed(let failure): return .unknown(failure)
        case .files(let files, let composed):
            guard let file = files[name] ?? composed[TextFolding.compatible(name)] else { return .absent }
            guard file.kind == .file else {
                return .unknown(
                    BibliographySyncError(
                        .failed, "There is no regular file at the path of this paper.", subject: path))
            }
            return .present(file, path: parent.isEmpty ? file.name : "\(parent)/\(file.name)")
        }
    }

    /// Forgets a folder, so that it is listed again.
    mutating func forget(_ path: String) { listings[Self.split(path).0] = nil }

    private mutating func listing(_ parent: String) throws(BibliographySyncError) -> Listing {
        if let known = listings[parent] { return known }
        let listing: Listing
        do throws(BibliographySyncError) {
            var files: [String: BibliographyFile] = [:]
            var composed: [String: BibliographyFile] = [:]
            for file in try folder.list(parent) {
                files[file.name] = file
                composed[TextFolding.compatible(file.name)] = file
            }
            listing = .files(files, composed: composed)
        } catch {
            if error.endsRun { throw error }
            listing = error.code == .notFound ? .files([:], composed: [:]) : .failed(error.about(parent))
        }
        listings[parent] = listing
        return listing
    }

    private static func split(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}
