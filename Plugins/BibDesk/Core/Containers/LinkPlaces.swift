import BibTeX
import BookFolders
import Platform

/// How the links of a library and the papers on the device belong together. Pure.
///
/// A link is a path from the folder of the `.bib` file on the Mac. On the device BibDesk has libraries and papers in two
/// folders, and the papers by their paths in Dropbox.
struct LinkPlaces: Hashable, Sendable {
    /// Which folders the app has.
    let layout: ReferenceStore.Layout
    /// The folder of the libraries in Dropbox without slashes at its ends, such as `Papers`; nil if the app's settings do not
    /// say.
    let dropboxFolder: String?
    /// Folders of other computers that hold what the folder of papers holds, such as `/Users/ada/Dropbox`.
    let roots: [String]

    /// Places.
    ///
    /// - Parameters:
    ///   - layout: the folders that the app has.
    ///   - dropboxFolder: as the app's settings have it, such as `/Papers`.
    ///   - roots: folders that absolute links may begin with.
    init(_ layout: ReferenceStore.Layout, dropboxFolder: String? = nil, roots: [String] = []) {
        self.layout = layout
        self.dropboxFolder = dropboxFolder.map { String($0.withoutFirstSlashes).trimmingSlashes }
        self.roots = roots.map(\.trimmingSlashes).filter { !$0.isEmpty }
    }

    /// Whether a link alone does not tell where its paper is, so that the papers on the device have to be listed.
    var needsListing: Bool { layout == .documents || (layout == .linkedFiles && dropboxFolder == nil) }

    /// Where the paper of a link belongs, below the folder of papers; nil if the link leads out of it, or has no path.
    ///
    /// - Parameters:
    ///   - link: a path from the folder of the library on, or an absolute path of the computer that wrote it.
    ///   - library: the library's path below the folder of libraries.
    func place(of link: String, in library: ShelfPath) -> ShelfPath? {
        guard !link.isEmpty else { return nil }
        var path = link
        if link.isAbsolutePath {
            guard let inside = below(link) else { return nil }
            path = inside
        } else if layout != .flat {
            let folder = layout == .linkedFiles ? dropboxFolder ?? "" : ""
            path = joined([folder, library.folder?.text ?? "", link])
        }
        if layout == .flat {
            // Only files of the library's own folder were ever brought to the device.
            path = LinkedPath.normalized(path).pathNames.last.map(String.init) ?? ""
        }
        let normal = LinkedPath.normalized(path)
        guard LinkedPath.isContained(normal) else { return nil }
        // The app composes names, so that a ligature becomes its letters.
        return ShelfPath(layout == .linkedFiles ? TextFolding.compatible(normal) : normal)
    }

    /// The path of a link from the folder of the library on. An absolute link below one of the roots leads to where it would lead on
    /// the device; another one stays as it is.
    ///
    /// - Parameter link: the normalized path in the link of a library in the folder of libraries itself.
    func path(of link: String) -> String {
        guard link.isAbsolutePath, let library = ShelfPath("library.bib"),
            let place = place(of: link, in: library)
        else { return link }
        return LinkedPath.normalized(self.link(to: place, in: library))
    }

    /// The link of a library to a paper.
    ///
    /// - Parameters:
    ///   - place: the paper's path below the folder of papers.
    ///   - library: the library's path below the folder of libraries.
    func link(to place: ShelfPath, in library: ShelfPath) -> String {
        let folder: String
        switch layout {
        case .linkedFiles: folder = joined([dropboxFolder ?? "", library.folder?.text ?? ""])
        case .flat: return place.name
        case .documents: folder = library.folder?.text ?? ""
        }
        let from = folder.pathNames
        let to = place.text.pathNames
        let common = zip(from, to.dropLast()).prefix { $0 == $1 }.count
        return (from.dropFirst(common).map { _ in ".." } + to.dropFirst(common)).joined(separator: "/")
    }

    /// The folder for new papers of a library, below the folder of papers; nil is that folder itself.
    func folder(of library: ShelfPath) -> ShelfPath? {
        switch layout {
        case .linkedFiles: ShelfPath(joined([dropboxFolder ?? "", library.folder?.text ?? ""]))
        case .flat: nil
        case .documents: library.folder
        }
    }

    private func joined(_ parts: [String]) -> String {
        parts.filter { !$0.isEmpty }.joined(separator: "/")
    }

    /// The rest of an absolute path below one of the roots.
    private func below(_ path: String) -> String? {
        let names = LinkedPath.normalized(path).pathNames
        for root in roots where root.isAbsolutePath {
            let above = LinkedPath.normalized(root).pathNames
            guard names.count > above.count, names.starts(with: above) else { continue }
            let inside = names[above.count...].joined(separator: "/")
            // The folder of the libraries itself may be named, too.
            let own = layout == .linkedFiles ? dropboxFolder?.pathNames ?? [] : []
            let isOwn =
                !own.isEmpty && above.suffix(own.count).elementsEqual(own)
                && !names[above.count...].starts(with: own)
            return isOwn ? joined(own.map(String.init) + [inside]) : inside
        }
        return nil
    }
}

extension String {
    /// The text without slashes at its end.
    fileprivate var trimmingSlashes: String {
        var text = self
        while text.endsInSlash { text.unicodeScalars.removeLast() }
        return text
    }
}
