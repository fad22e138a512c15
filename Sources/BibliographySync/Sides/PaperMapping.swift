import BibTeX

/// How much a paper is wanted on the device, the most first.
public enum PaperPriority: Int, Sendable, Comparable, CaseIterable {
    /// A person asked for it now.
    case askedFor
    /// A rule chooses it.
    case rule
    /// It is wanted because no rule says otherwise.
    case rest

    /// The more wanted one first.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Where a paper is on the device.
public struct PaperPlace: Sendable, Hashable {
    /// Its path in the device's folder.
    public var path: String
    /// Whether iOS may remove it on its own, as in a folder of caches. Its absence is then not a deletion.
    public var isPurgeable: Bool

    /// A place.
    public init(_ path: String, isPurgeable: Bool = false) {
        (self.path, self.isPurgeable) = (path, isPurgeable)
    }
}

/// What the engine has to know of an app: where its files are.
public protocol PaperMapping {
    /// The folder on the device that holds the bibliographies.
    var libraryFolder: String { get }

    /// The path of a linked file from the host's folder on.
    ///
    /// - Parameter link: the normalized path in the link, which may be an absolute one of another computer.
    func path(of link: String) -> String

    /// Where the paper of a link is on the device; nil if the app cannot have it there.
    ///
    /// - Parameter path: the path from the host's folder on, without `..`.
    /// - Parameter priority: why it is wanted; nil: it is only looked for.
    func place(of path: String, _ priority: PaperPriority?) -> PaperPlace?

    /// The papers of a library that are wanted, by the indexes of their entries' blocks.
    ///
    /// - Parameter document: the merged library.
    /// - Parameter library: its name.
    func wanted(_ document: BibTeXDocument, _ library: String) -> [Int: PaperPriority]
}

extension PaperMapping {
    /// Links begin at the host's folder.
    public func path(of link: String) -> String { link }

    /// Without a rule every linked paper is wanted.
    public func wanted(_ document: BibTeXDocument, _ library: String) -> [Int: PaperPriority] {
        Dictionary(document.entryIndexes.map { ($0, .rest) }, uniquingKeysWith: { first, _ in first })
    }
}

/// What a sync works on.
public struct BibliographySides {
    /// The folder that the person named.
    public var host: any BibliographyFolder
    /// The app's files.
    public var device: any BibliographyFolder
    /// Copies papers.
    public var copier: any PaperCopier
    /// What is kept on the host for this device, app and folder.
    public var state: any BibliographyState
    /// What is kept on the device, in a folder that the app does not list: a few bytes for each host.
    public var marks: any BibliographyState
    /// Where the app's files are.
    public var mapping: any PaperMapping

    /// The parts of a sync.
    public init(
        host: any BibliographyFolder, device: any BibliographyFolder, copier: any PaperCopier,
        state: any BibliographyState, marks: any BibliographyState, mapping: any PaperMapping
    ) {
        (self.host, self.device, self.copier) = (host, device, copier)
        (self.state, self.marks, self.mapping) = (state, marks, mapping)
    }
}
