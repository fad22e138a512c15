import Diagnostics
import BibTeX
import Platform

/// The folders of papers on one side. Each is listed once, and only when a paper in it is needed.
package struct PaperListings {
    /// What is known about a path.
    package enum PathState {
        /// The file exists, at this path.
        case present(BibliographyFile, path: String)
        /// The folder does not contain the file; a new file would get this path.
        case absent(path: String)
        /// The path is a folder, a symbolic link or anything else that is not a file.
        case unfit
        /// The folder cannot be listed.
        case unknown(BibliographySyncError)
    }

    private enum Listing {
        /// Files by their names, and by their names in composed form.
        case files([String: BibliographyFile], composed: [String: BibliographyFile])
        case failed(BibliographySyncError)
    }

    private let folder: any BibliographyFolder
    private var listings: [String: Listing] = [:]

    /// Creates listings of one side, without listing a folder.
    package init(_ folder: any BibliographyFolder) { self.folder = folder }

    /// What is known about a path. A name also matches in the form in which a Mac writes it.
    package mutating func state(of path: String) throws(BibliographySyncError) -> PathState {
        let (above, name) = Self.split(path)
        let parent = try written(above)
        func place(_ name: String) -> String { parent.isEmpty ? name : "\(parent)/\(name)" }
        switch try listing(parent) {
        case .failed(let failure): return try isBelowFolder(parent) ? .unknown(failure) : .unfit
        case .files(let files, let composed):
            guard let file = files[name] ?? composed[TextFolding.compatible(name)] else {
                return .absent(path: place(name))
            }
            guard file.kind == .file else { return .unfit }
            return .present(file, path: place(file.name))
        }
    }

    /// Whether all parts of a path are folders, as far as their parents can be listed; a symbolic link is not
    /// followed.
    private mutating func isBelowFolder(_ path: String) throws(BibliographySyncError) -> Bool {
        var (above, name) = Self.split(path)
        while !name.isEmpty {
            if case .files(let files, _) = try listing(above), let file = files[name], file.kind != .folder {
                return false
            }
            (above, name) = Self.split(above)
        }
        return true
    }

    /// The path of a folder in the spelling of the listing, such as a Mac's with separate accents.
    private mutating func written(_ path: String) throws(BibliographySyncError) -> String {
        guard path.utf8.contains(where: { $0 >= 0x80 }) else { return path }
        var found = ""
        for part in path.pathNames {
            var name = String(part)
            // Swift's equal texts may have different bytes; only those of the listing name the folder.
            if case .files(let files, let composed) = try listing(found),
                let folder = files[name] ?? composed[TextFolding.compatible(name)], folder.kind == .folder
            {
                name = folder.name
            }
            found = found.isEmpty ? name : "\(found)/\(name)"
        }
        return found
    }

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
        (String(path.pathFolder ?? ""), String(path.pathName))
    }
}
