import BibTeX
import BookFolders
import Platform

/// Maps the links of a library to papers on the device, and back. Does not use the device.
///
/// A link is a path relative to the folder of the `.bib` file on the Mac. On the device, BibDesk has libraries and
/// papers in two folders, and stores papers by their paths in Dropbox.
struct LinkPlaces: Hashable, Sendable {
    /// The app's folders.
    let layout: ReferenceStore.Layout
    /// The folder of the libraries in Dropbox without outer slashes, such as `Papers`; nil if the app's settings do
    /// not say.
    let dropboxFolder: String?
    /// Folders on other computers with the same content as the folder of papers, such as `/Users/ada/Dropbox`.
    let roots: [String]

    /// Creates a mapping for an app.
    ///
    /// - Parameters:
    ///   - layout: the app's folders.
    ///   - dropboxFolder: the folder in the app's settings, such as `/Papers`.
    ///   - roots: folders with which absolute links may begin.
    init(_ layout: ReferenceStore.Layout, dropboxFolder: String? = nil, roots: [String] = []) {
        self.layout = layout
        self.dropboxFolder = dropboxFolder.map { String($0.withoutFirstSlashes).trimmingSlashes }
        self.roots = roots.map(\.trimmingSlashes).filter { !$0.isEmpty }
    }

    /// Whether a link alone does not determine where its paper is, so that the papers on the device must be listed.
    var needsListing: Bool { layout == .documents || (layout == .linkedFiles && dropboxFolder == nil) }

    /// The place for the paper of a link, relative to the folder of papers; nil if the link leads outside or has no
    /// path.
    ///
    /// - Parameters:
    ///   - link: a path relative to the library's folder, or an absolute path on the computer that wrote it.
    ///   - library: the library's path relative to the folder of libraries.
    func place(of link: String, in library: ShelfPath) -> ShelfPath? {
        guard !link.isEmpty else { return nil }
        var path = link
        if let absolute = absolute(link) {
            guard let inside = below(absolute) else { return nil }
            path = inside
        } else if layout != .flat {
            let folder = layout == .linkedFiles ? dropboxFolder ?? "" : ""
            path = joined([folder, library.folder?.text ?? "", link])
        }
        if layout == .flat {
            // Only files from the library's own folder were ever copied to the device.
            path = LinkedPath.normalized(path).pathNames.last.map(String.init) ?? ""
        }
        let normal = LinkedPath.normalized(path)
        guard LinkedPath.isContained(normal) else { return nil }
        // The app normalizes names, so that a ligature becomes separate letters.
        return ShelfPath(layout == .linkedFiles ? TextFolding.compatible(normal) : normal)
    }

    /// The path of a link relative to the library's folder. An absolute link below one of the roots is mapped to its
    /// place on the device; any other absolute link is returned unchanged.
    ///
    /// - Parameter link: the normalized path in a link of a library at the top of the folder of libraries.
    func path(of link: String) -> String {
        guard absolute(link) != nil, let library = ShelfPath("library.bib"),
            let place = place(of: link, in: library)
        else { return link }
        return LinkedPath.normalized(self.link(to: place, in: library))
    }

    /// The link from a library to a paper.
    ///
    /// - Parameters:
    ///   - place: the paper's path relative to the folder of papers.
    ///   - library: the library's path relative to the folder of libraries.
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

    /// The folder for new papers of a library, relative to the folder of papers; nil is that folder itself.
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

    /// An absolute link that begins with one of the roots, also without its first slash, as Mendeley writes it.
    /// Nil for any other link.
    private func absolute(_ link: String) -> String? {
        if link.isAbsolutePath { return link }
        return below("/" + link) == nil ? nil : "/" + link
    }

    /// The rest of an absolute path below one of the roots.
    private func below(_ path: String) -> String? {
        let names = LinkedPath.normalized(path).pathNames
        for root in roots where root.isAbsolutePath {
            let above = LinkedPath.normalized(root).pathNames
            guard names.count > above.count, names.starts(with: above) else { continue }
            let inside = names[above.count...].joined(separator: "/")
            // A root may also name the folder of the libraries itself.
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
